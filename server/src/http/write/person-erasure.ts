import { readRelated } from '../../commit/read-related.ts';
import type { Guard } from '../../commit/write-request.ts';
import { today } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { masterKeyLength } from '../../core/secrets/encryption.ts';
import { newRecord } from '../../model/change.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import { inUse, type Preventing } from '../../model/traits/in-use.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import { retained, type Retained, type Retention } from '../../model/traits/retained.ts';
import { sealsPersons } from '../../model/traits/seals-persons.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';

/** What legal duties keep of a person, and the records that this follows from. */
interface ReadRetention {
  kept: Retained[];
  guards: Guard[];
}

/** Reads what legal duties keep if the person is erased now. */
export async function readRetention(
  context: HttpContext,
  resource: Resource,
  { accountId, account }: Pick<ApiRequest, 'accountId' | 'account'>,
  person: StoredRecord,
): Promise<ReadRetention> {
  const rule = retained.of(resource);
  const accounts = context.resources.find((candidate) => ownAccount.has(candidate));
  if (!rule || !accounts) return { kept: [], guards: [] };
  const own = await context.readRecord(accounts, accountId, accountId);
  if (!own) throw new Error(`Bug! The account ${accountId} is not there.`);
  const { related, guards } = await readRelated(context, accountId, resource, person, rule.reads);
  const latestOn = await readLatest(context, rule, accountId, rule.latest.ids(related));
  const kept = rule.decide(person, related, {
    today: today(toSeconds(context.clock.nowMs()), account.timeZone),
    account: own as StoredRecord & { rules: typeof account.rules; year_end: string },
    latestOn,
  });
  return { kept, guards: [...guards, { resource: accounts, record: own }] };
}

/** Returns the records that prevent the deletion of a person now. */
export async function readPreventing(
  context: HttpContext,
  resource: Resource,
  accountId: string,
  person: StoredRecord,
): Promise<Preventing[]> {
  const rule = inUse.of(resource);
  if (!rule?.preventing) return [];
  const { related } = await readRelated(context, accountId, resource, person, rule.reads ?? []);
  return rule.preventing(person, related);
}

/** Returns the latest day of these records. A newer one changes a record that is a guard. */
async function readLatest(
  { reader, resources }: HttpContext,
  { latest: { of, link, column } }: Retention,
  accountId: string,
  ids: readonly string[],
): Promise<string | null> {
  const resource = resources.find(({ path }) => path === of);
  if (!resource) throw new Error(`Bug! There is no resource ${of}.`);
  if (ids.length === 0) return null;
  const rows = await reader.query<{ day: string | null }>({
    name: `latest_${column}_of_${resource.table}`,
    text: `select max(${column}) as day from ${resource.table} where account_id = $1 and ${link} = any($2::text[])`,
    values: [accountId, ids],
  });
  return rows[0]?.day ?? null;
}

/** Returns the new records that keep the data of an erased person, encrypted. */
export function sealed(
  { resources, ids, encryption, randomBytes }: HttpContext,
  person: StoredRecord,
  kept: readonly Retained[],
): RecordChange[] {
  const resource = resources.find((candidate) => sealsPersons.has(candidate));
  if (!resource || kept.length === 0) return [];
  const { link, files } = sealsPersons.of(resource)!;
  return kept.map(({ kind, basis, until, content, files: records }) => {
    const id = ids.make(resource.prefix);
    const key = Buffer.from(randomBytes(masterKeyLength)).toString('base64');
    const record = {
      ...newRecord(id, person.account_id),
      [link]: person.id,
      [files]: records.map((file) => file.id),
      kind,
      basis,
      until,
      status: 'held',
      reveals: 0,
      revealed_at: null,
      expired_at: null,
      revealed_to: null,
      sealed: encryption.encrypt(JSON.stringify({ ...content, files: records.map(fileInContent) })),
      file_key: encryption.encrypt(key),
    };
    return { resource, before: null, after: record };
  });
}

function fileInContent(file: StoredRecord): JsonObject {
  const member = (name: string) => fieldOf(file, name) as string | number;
  return {
    file: file.id,
    purpose: member('purpose'),
    filename: member('filename'),
    size: member('size'),
    sha256: member('sha256'),
    content_type: member('content_type'),
  };
}

/** Returns the erasure of the person, which remembers the files to remove. */
export function withFilesToErase(resource: Resource, erasure: RecordChange, person: StoredRecord): RecordChange {
  const rule = retained.of(resource);
  if (!rule || !erasure.after || !erasure.before) return erasure;
  return { ...erasure, after: { ...erasure.after, [rule.filesColumn]: [...rule.filesOf(person)] } };
}
