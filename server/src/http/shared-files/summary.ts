import { isErased } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import { addressLines, dayOf, minuteOf, money } from '../../print/words.ts';
import { account } from '../../resources/account/index.ts';
import { customer, type CustomerRecord } from '../../resources/customer.ts';
import type { FileRecord } from '../../resources/file/index.ts';
import type { FileLinkRecord } from '../../resources/file/link.ts';
import { application, type ApplicationRecord } from '../../resources/letting/application/index.ts';
import { building, type BuildingRecord } from '../../resources/letting/building.ts';
import { unit, type UnitRecord } from '../../resources/letting/unit.ts';
import { reference } from '../../resources/reference/index.ts';
import type { ReferenceRecord } from '../../resources/reference/record.ts';
import type { RecordReader } from '../../db/record-reader.ts';
import type { Resource } from '../../model/resource.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { HttpContext } from '../context.ts';
import { readReferenceOf } from './find.ts';

/** What the page of a link shows of its file. */
export interface SharedFile {
  filename: string;
  size: number;
  contentType: string;
  sender: { name: string; phone: string | null; email: string | null; logo: { type: string; base64: string } | null };
  /** Null if the file is no report of a finished check. */
  verdict: Verdict | null;
  worksUntil: string;
  /** Whether a later report of the check has replaced this one. */
  isReplaced: boolean;
}

/** The result of a check, in words. */
export interface Verdict {
  /** The name of the person. Null if the account keeps no record of the person here. */
  person: string | null;
  tone: 'good' | 'warning' | 'bad';
  title: string;
  text: string;
  /** Terms, each with its value. */
  facts: [term: string, value: string][];
}

const verdicts = {
  accept: { tone: 'good', title: 'Accepted', text: 'The checks gave no reason against a tenancy.' },
  consider: { tone: 'warning', title: 'Consider', text: 'Weigh something in the checks before you agree.' },
  high_risk: { tone: 'bad', title: 'High risk', text: 'The checks gave strong reasons to be careful.' },
} as const;

const replacement = {
  tone: 'warning',
  title: 'Replaced by a newer report',
  text: 'The letting agent has decided since. Ask for a link to the new report.',
} as const;

/** Reads what the page of a link shows. */
export async function readSummary(context: HttpContext, link: FileLinkRecord, file: FileRecord): Promise<SharedFile> {
  const { readRecord, reader } = context;
  const { account_id: accountId } = link;
  const owner = await readRecord(account, accountId, accountId);
  const referenceId = await readReferenceOf(reader, accountId, file.id);
  const checked = referenceId === null ? null : await readRecord(reference, accountId, referenceId);
  const replaced = checked ? null : await readReplaced(readRecord, file);
  const isSandbox = context.config.mode === 'sandbox';
  const shown = checked ?? replaced;
  const letterhead = owner?.letterhead ?? null;
  return {
    filename: file.filename,
    size: file.size,
    contentType: file.content_type,
    sender: {
      name: letterhead?.name ?? owner?.name ?? 'your letting agent',
      phone: letterhead?.phone ?? null,
      email: letterhead?.email ?? null,
      logo: owner && (await context.logos.of(owner)),
    },
    verdict: shown && (await verdictOf(readRecord, shown, { isReplaced: replaced !== null, isSandbox })),
    worksUntil: `${minuteOf(link.expires_at)} UTC`,
    isReplaced: replaced !== null,
  };
}

/** The name that the server gives to a report: the id of its reference. Later reports also have a number. */
const printed = /^(ref_[0-9A-Za-z]+)(?:-\d+)?\.pdf$/;

/** Returns the reference whose earlier report is this file. Null if there is none, or the reference is erased. */
async function readReplaced(readRecord: RecordReader, file: FileRecord): Promise<ReferenceRecord | null> {
  const id = printed.exec(file.filename)?.[1];
  if (id === undefined || !isId(reference.prefix, id)) return null;
  const found = await readRecord(reference, file.account_id, id);
  return found && !isErased(found) && found.earlier_reports.includes(file.id) ? found : null;
}

/** The best score of the simulated services. The API does not know the scale of a real one. */
const sandboxScoreMax = 999;

async function verdictOf(
  readRecord: RecordReader,
  checked: ReferenceRecord,
  { isReplaced, isSandbox }: { isReplaced: boolean; isSandbox: boolean },
): Promise<Verdict | null> {
  const {
    account_id: accountId,
    outcome,
    decision,
    completed_at: completedAt,
    automatic_reference: automatic,
  } = checked;
  if (outcome === null) return null;
  const read = readerOf(readRecord, accountId);
  const person = await read<CustomerRecord>(customer, checked.customer);
  const wish = await read<ApplicationRecord>(application, checked.application);
  const home = await read<UnitRecord>(unit, wish?.unit ?? null);
  const place = await read<BuildingRecord>(building, home?.building ?? null);
  const found = automatic?.provider_data?.provider_a ?? null;
  const facts: Verdict['facts'] = [];
  const isByService = automatic?.enabled === true;
  if (!isReplaced && decision?.reason) facts.push(['Why', decision.reason]);
  if (!isReplaced && decision && isByService && automatic.outcome)
    facts.push(['Verdict of the referencing service', verdictInWords(automatic.outcome)]);
  const address = [
    home?.name,
    ...(place ? addressLines({ ...place.address, postalCode: place.address.postal_code }) : []),
  ].filter((line) => line !== undefined && line !== null && line !== '');
  if (address.length > 0) facts.push(['Home', address.join(', ')]);
  if (wish?.rent) facts.push(['Rent', `${money(wish.rent)} a ${wish.rent.interval}`]);
  const isShared = (wish?.customers.length ?? 0) > 1;
  if (wish?.rent && isShared) {
    const own = { ...wish.rent, amount: Math.round(wish.rent.amount / wish.customers.length) };
    facts.push(['Share of this applicant', `${money(own)} a ${own.interval}`]);
  }
  const name = person && !isErased(person) ? person.name : null;
  if (isReplaced) return { person: name, ...replacement, facts };
  const share = found?.affordability.percentage ?? null;
  if (share !== null)
    facts.push([isShared ? 'That share, of the verified income' : 'Rent as a share of verified income', `${share} %`]);
  if (found?.credit_score !== undefined && found.credit_score !== null)
    facts.push([
      'Credit score',
      isSandbox ? `${found.credit_score} of ${sandboxScoreMax}. Higher is better.` : String(found.credit_score),
    ]);
  if (found?.sanctions_passed !== undefined && found.sanctions_passed !== null)
    facts.push(['Sanctions lists', found.sanctions_passed ? 'The person is on none.' : 'The person may be on one.']);
  if (completedAt !== null) facts.push(['Finished on', dayOf(completedAt)]);
  const verdict = verdicts[outcome];
  const text = decision && isByService ? 'The letting agent decided this, after the check of a service.' : verdict.text;
  return { person: name, ...verdict, text, facts };
}

/** Words of services that leave the decision to a person, but do not say so. */
const undecided = /^(?:refer|review|caution|warning|inconclusive|undetermined|unavailable)$/i;

/** Returns a verdict of a service in its own words, with their meaning if a landlord cannot know it. */
function verdictInWords(code: string): string {
  const words = inWords(code);
  return undecided.test(words) ? `${words}: a person should weigh it` : words;
}

/** Returns a verdict of a service as people write it: `HIGH_RISK` is "High risk". */
function inWords(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a reader of records that may have ids of other systems, or none. */
function readerOf(readRecord: RecordReader, accountId: string) {
  return async <R extends StoredRecord>(kind: Resource<R>, id: string | null): Promise<R | null> =>
    id !== null && isId(kind.prefix, id) ? readRecord(kind, accountId, id) : null;
}
