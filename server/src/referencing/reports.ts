import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { FileStore } from '../commit/file-store.ts';
import { newRecord } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import type { Mode } from '../core/secrets/api-keys.ts';
import { findPayer } from '../core/limits/byte-budget.ts';
import { ApiError } from '../core/errors.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { FairQueue, patient } from '../core/limits/fair-queue.ts';
import type { IdMaker } from '../core/ids.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { ProviderFault } from '../external-services/service.ts';
import type { Findings } from './providers/provider.ts';
import type { ReportContents, ReportDecision, Unfinished } from './report/contents.ts';
import { PrinterBusyError } from './report/index.ts';
import type { Logos } from '../rent-documents/logos.ts';
import { homeAt, letterheadOf } from '../rent-documents/sender-and-home.ts';
import { isId } from '../core/ids.ts';
import { file, type FileRecord } from '../resources/file/index.ts';
import { user } from '../resources/people/user.ts';
import type { ApplicationRecord } from '../resources/letting/application/index.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import { addressOf, hasGuarantor, readAccount, readApplicant, readWish, shareOf } from './order-contents.ts';

/** Prints findings as a PDF, off the event loop. */
export interface ReportPrinter {
  print(contents: ReportContents): Promise<Buffer>;
}

export interface ReportContext {
  accounts: { get(id: string): Promise<{ rootId: string } | null> };
  config: { mode: Mode };
  readRecord: RecordReader;
  fileStore: FileStore;
  logos: Pick<Logos, 'of'>;
  ids: IdMaker;
  clock: Clock;
  /** Real time, for this machine and its database. */
  realClock: Clock;
  log: Logger;
}

const partBytes = 256 * 1024;

/** Seconds until a report is made again that the machine had no time for. Each attempt reads the findings again, so it is no short time. */
const busySeconds = 30;

/** Times since its last success that a report may find the machine too busy: at least ten minutes. After them, it fails like any other. */
const busyTimesMax = 20;

/** References in memory whose report has found the machine too busy. */
const waitingMax = 10_000;

/** What a report is about, besides its reference. */
export interface ReportSubject {
  /** Null if no service has finished, or if its findings cannot be read. */
  findings: Findings | null;
  /** Null for the report of a service. */
  decision: ReferenceRecord['decision'];
  /** The number of the report. The first one is 1. Its file's name has it. */
  number: number;
}

/**
 * Makes the files of reports. The bytes are stored first. They become a file with the change that sets `reference_pdf`. One report is
 * printed at a time, and trees of accounts take turns.
 */
export class Reports {
  readonly #context: ReportContext;
  readonly #printer: ReportPrinter;
  readonly #queue = new FairQueue(1);
  /** How often the report of a reference has found the machine too busy since its last success. Each process counts for itself. */
  readonly #busyTimes = new Map<string, number>();

  constructor(context: ReportContext, printer: ReportPrinter) {
    this.#context = context;
    this.#printer = printer;
  }

  /**
   * Prints the report and stores its bytes. Resolves to the change that makes it a file.
   *
   * @throws {ProviderFault} `report_failed`. It is `busyForSeconds` if the machine has no time for it, or for the logo. This ends after
   * `busyTimesMax` times, so that people see the failure.
   */
  async make(reference: ReferenceRecord, subject: ReportSubject): Promise<RecordChange> {
    const { ids, fileStore, realClock } = this.#context;
    const { account_id: accountId } = reference;
    const payer = await findPayer(this.#context.accounts, accountId);
    // The logo can wait for many other files of its account. It must not keep the turn of other reports meanwhile.
    const logo = await this.#logoOf(reference);
    const bytes = await this.#queue.run(payer, patient, async () =>
      this.#print(await this.#contentsOf(reference, subject, logo)),
    );
    this.#busyTimes.delete(reference.id);
    const id = ids.make('file');
    await fileStore.begin(accountId, id, realClock.nowMs());
    for (let at = 0; at < bytes.length; at += partBytes) {
      await fileStore.addPart(accountId, id, at / partBytes, bytes.subarray(at, at + partBytes));
    }
    const record: FileRecord = {
      ...newRecord(id, accountId),
      purpose: 'reference_report',
      filename: filenameOf(reference.id, subject.number),
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      content_type: 'application/pdf',
      customer: null,
      reference: null,
      metadata: {},
    };
    return { resource: file, before: null, after: record };
  }

  /** Removes the bytes of a report that did not become a file. If that fails, they are removed later. */
  async discard({ after }: RecordChange): Promise<void> {
    const { fileStore, log } = this.#context;
    if (!after) return;
    const { account_id: accountId, id } = after;
    await fileStore.discard(accountId, id, false).catch((error: unknown) => {
      log.warn({ file: id, err: error }, 'an unused report could not be removed yet');
    });
  }

  /** Prints the report. An error becomes a fault like any other, so that the reference shows it. A busy machine is no fault. */
  async #print(contents: ReportContents): Promise<Buffer> {
    try {
      return await this.#printer.print(contents);
    } catch (error) {
      if (error instanceof PrinterBusyError) throw this.#busy(contents.referenceId, error);
      this.#context.log.error({ reference: contents.referenceId, err: error }, 'a report could not be printed');
      const message =
        'The report could not be printed. It is tried again. If this continues, tell the operator of this server.';
      throw new ProviderFault('report_failed', message, { cause: error });
    }
  }

  /** Returns the fault of a report that the machine had no time for. Soon it is made again, and the reference shows nothing. */
  #busy(referenceId: string, cause: Error): ProviderFault {
    const times = (this.#busyTimes.get(referenceId) ?? 0) + 1;
    this.#busyTimes.delete(referenceId);
    this.#busyTimes.set(referenceId, times);
    const [oldest] = this.#busyTimes.keys();
    if (this.#busyTimes.size > waitingMax && oldest !== undefined) this.#busyTimes.delete(oldest);
    if (times <= busyTimesMax)
      return new ProviderFault('report_failed', 'The server is too busy to print the report.', {
        busyForSeconds: busySeconds,
        cause,
      });
    this.#context.log.error(
      { reference: referenceId, times, err: cause },
      'a report finds the machine too busy each time',
    );
    const message = `The server was too busy to print the report ${times} times. It is tried again. If this continues, tell the operator of this server.`;
    return new ProviderFault('report_failed', message, { cause });
  }

  /** Tells whether the server may replace the present report. It may not replace a file that the account has attached itself. */
  async mayReplace({ id, account_id: accountId, reference_pdf: pdf }: ReferenceRecord): Promise<boolean> {
    if (pdf === null) return true;
    if (!isId(file.prefix, pdf)) return false;
    const present = await this.#context.readRecord(file, accountId, pdf);
    return !present || (present.purpose === 'reference_report' && isIssued(id, present.filename));
  }

  async #logoOf({ id, account_id: accountId }: ReferenceRecord): Promise<Logo> {
    const { readRecord, logos } = this.#context;
    return logos.of(await readAccount(readRecord, accountId)).catch((error: unknown) => {
      throw error instanceof ApiError ? this.#busy(id, error) : error;
    });
  }

  async #contentsOf(
    reference: ReferenceRecord,
    { findings, decision }: Pick<ReportSubject, 'findings' | 'decision'>,
    logo: Logo,
  ): Promise<ReportContents> {
    const { readRecord, clock, config } = this.#context;
    const { automatic_reference: automatic, customer: personId, account_id: accountId } = reference;
    const person = await readApplicant(readRecord, reference);
    const wish = await readWish(readRecord, reference);
    const share = shareOf(wish, personId);
    const address = person?.addresses.find(({ to }) => to === null);
    const owner = await readAccount(readRecord, accountId);
    return {
      referenceId: reference.id,
      created: reference.created,
      completed: reference.completed_at ?? toSeconds(clock.nowMs()),
      providerName: findings?.dispute.service ?? (automatic?.enabled ? 'The referencing service' : null),
      applicationId: reference.application ?? '',
      accountName: owner.name,
      letterhead: letterheadOf(owner, logo),
      applicant: person && {
        name: person.name,
        dateOfBirth: person.date_of_birth,
        currentAddress: address ? addressOf(address) : null,
      },
      customerId: personId,
      tenancy: wish && {
        home: await this.#homeOf(wish),
        moveInDate: wish.move_in_date,
        rent: share,
        coApplicants: wish.customers.filter((id) => id !== personId),
      },
      sharedRent:
        wish?.rent && share && wish.customers.length > 1
          ? { whole: wish.rent, shares: wish.customers.map((id) => ({ customerId: id, rent: share })) }
          : null,
      hasGuarantor: hasGuarantor(wish, personId),
      findings,
      unfinished: findings ? null : unfinishedOf(automatic),
      decision: decision && (await this.#decisionOf(accountId, decision)),
      timeline: findings?.notes ?? automatic?.provider_data?.provider_a.notes ?? [],
      isTest: config.mode === 'sandbox',
    };
  }

  /** An application can name a home of another system by its id. */
  async #homeOf({ account_id: accountId, unit }: ApplicationRecord): Promise<ReportHome> {
    if (unit === null) return null;
    const home = isId('unit', unit) ? await homeAt(this.#context.readRecord, accountId, unit) : null;
    return home ? { name: home.unit, address: home.address } : { name: unit, address: null };
  }

  /** Names the decider. A user that is gone keeps the e-mail address of that time. */
  async #decisionOf(accountId: string, decision: Decided): Promise<ReportDecision> {
    const { outcome, reason, decided_at: at, decided_by: decider } = decision;
    return { outcome, reason, at, by: `${await this.#nameOf(accountId, decider)}, ${roleNameOf(decider)}` };
  }

  async #nameOf(accountId: string, { type, id, name }: Decided['decided_by']): Promise<string> {
    const member = type === 'user' ? await this.#context.readRecord(user, accountId, id) : null;
    return member?.name ?? name ?? id;
  }
}

type Logo = Awaited<ReturnType<Logos['of']>>;
type Decided = NonNullable<ReferenceRecord['decision']>;
type ReportHome = NonNullable<ReportContents['tenancy']>['home'];

function roleNameOf({ type, role }: Decided['decided_by']): string {
  if (type === 'user') return role ?? 'team member';
  return type === 'agent' ? 'a program that decides by itself' : 'an API key';
}

function unfinishedOf(automatic: ReferenceRecord['automatic_reference']): Unfinished | null {
  if (!automatic?.enabled) return null;
  const data = automatic.provider_data?.provider_a;
  return {
    words: automatic.outcome,
    percentage: data?.affordability.percentage ?? null,
    creditScore: data?.credit_score ?? null,
    sanctionsPassed: data?.sanctions_passed ?? null,
  };
}

/** Returns the name of the file of a report. Each report of a reference has another one. */
function filenameOf(referenceId: string, number: number): string {
  return number === 1 ? `${referenceId}.pdf` : `${referenceId}-${number}.pdf`;
}

/** Tells whether a file has the name of a report that the server has issued. */
function isIssued(referenceId: string, filename: string): boolean {
  const [, rest] = filename.split(referenceId);
  return filename.startsWith(referenceId) && /^(?:-\d+)?\.pdf$/.test(rest ?? '');
}
