import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { FileStore } from '../commit/file-store.ts';
import { newRecord } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import type { Mode } from '../core/api-keys.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { IdMaker } from '../core/ids.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { ProviderFault } from '../services/service.ts';
import type { Findings } from './providers/provider.ts';
import type { ReportContents } from './report/contents.ts';
import { file, type FileRecord } from '../resources/file/index.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import { addressOf, hasGuarantor, readAccount, readApplicant, readWish, shareOf } from './access.ts';

/** Prints findings as a PDF, off the event loop. */
export interface ReportPrinter {
  print(contents: ReportContents): Promise<Buffer>;
}

export interface ReportContext {
  config: { mode: Mode };
  readRecord: RecordReader;
  fileStore: FileStore;
  ids: IdMaker;
  clock: Clock;
  /** Real time, for this machine and its database. */
  realClock: Clock;
  log: Logger;
}

const partBytes = 256 * 1024;

/** Makes the files of reports. The bytes are stored first. They become a file with the change that completes the reference. */
export class Reports {
  readonly #context: ReportContext;
  readonly #printer: ReportPrinter;

  constructor(context: ReportContext, printer: ReportPrinter) {
    this.#context = context;
    this.#printer = printer;
  }

  /**
   * Prints the report and stores its bytes. Resolves to the change that makes it a file.
   *
   * @throws {ProviderFault} `report_failed`
   */
  async make(reference: ReferenceRecord, findings: Findings): Promise<RecordChange> {
    const { ids, fileStore, realClock } = this.#context;
    const bytes = await this.#print(await this.#contentsOf(reference, findings));
    const id = ids.make('file');
    const { account_id: accountId } = reference;
    await fileStore.begin(accountId, id, realClock.nowMs());
    for (let at = 0; at < bytes.length; at += partBytes) {
      await fileStore.addPart(accountId, id, at / partBytes, bytes.subarray(at, at + partBytes));
    }
    const record: FileRecord = {
      ...newRecord(id, accountId),
      purpose: 'reference_report',
      filename: `${reference.id}.pdf`,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      content_type: 'application/pdf',
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

  /** Prints the report. An error becomes a fault like any other, so that the reference shows it. */
  async #print(contents: ReportContents): Promise<Buffer> {
    try {
      return await this.#printer.print(contents);
    } catch (error) {
      this.#context.log.error({ reference: contents.referenceId, err: error }, 'a report could not be printed');
      const message =
        'The report could not be printed. It is tried again. If this continues, tell the operator of this server.';
      throw new ProviderFault('report_failed', message, { cause: error });
    }
  }

  async #contentsOf(reference: ReferenceRecord, findings: Findings): Promise<ReportContents> {
    const { readRecord, clock, config } = this.#context;
    const person = await readApplicant(readRecord, reference);
    const wish = await readWish(readRecord, reference);
    const share = shareOf(wish, reference.customer);
    const address = person?.addresses.find(({ to }) => to === null);
    return {
      referenceId: reference.id,
      created: reference.created,
      completed: toSeconds(clock.nowMs()),
      providerName: findings.dispute.service,
      applicationId: reference.application ?? '',
      accountName: (await readAccount(readRecord, reference.account_id)).name,
      applicant: person && {
        name: person.name,
        dateOfBirth: person.date_of_birth,
        currentAddress: address ? addressOf(address) : null,
      },
      customerId: reference.customer,
      sharedRent:
        wish?.rent && share && wish.customers.length > 1
          ? { whole: wish.rent, shares: wish.customers.map((id) => ({ customerId: id, rent: share })) }
          : null,
      hasGuarantor: hasGuarantor(wish, reference.customer),
      findings,
      timeline: findings.notes,
      isTest: config.mode === 'sandbox',
    };
  }
}
