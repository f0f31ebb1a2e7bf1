import { ByteBudget, type ByteCeiling, type ByteLimits, type Payer } from '../core/limits/byte-budget.ts';
import { ApiError } from '../core/errors.ts';
import { FairQueue, type Client } from '../core/limits/fair-queue.ts';
import { moduleFile } from '../core/installation.ts';
import type { StatementFacts } from '../db/ledger-statement.ts';
import type { StoredRecord } from '../model/record.ts';
import { Printer, PrinterBusyError, type PrinterOptions } from '../print/printer.ts';
import type { InvoiceRecord } from '../resources/letting/invoice/index.ts';
import type { TenancyRecord } from '../resources/letting/tenancy/index.ts';
import type { DocumentContents } from './contents.ts';
import type { Logos } from './logos.ts';
import { readAccount, readInvoice, readStatementDocument, type Reading } from './read.ts';

/** The parts of the server's context that documents are read with. */
type DocumentSource = Omit<Reading, 'logo'> & { logos: Pick<Logos, 'of'> };

/** Documents that are read or wait for the process that prints. One is read while another is printed. */
const atOnceMax = 2;

/** Milliseconds. The second of two documents in progress must end before a proxy gives up, often after a minute. */
const turnMsMax = 30_000;

/** An estimate of the bytes that a document takes in this process for each byte of data. Measured: 2,000 entries take up to 13 MB. */
const printedPerByte = 40;

/** Bounds the bytes that documents take while they are printed. The largest is printed alone. */
const printBytes: ByteLimits = { max: 16 * 1024 * 1024, maxPerAccount: 8 * 1024 * 1024 };

/** Milliseconds in which a document waits for room. It keeps one of the turns meanwhile. */
const waitMs = 5_000;

/** Prints invoices and statements for requests. Trees of accounts take turns, so that none waits for all documents of another. */
export class Documents {
  readonly #source: DocumentSource;
  readonly #printer: Printer<DocumentContents>;
  readonly #queue = new FairQueue(atOnceMax);
  /** The memory of documents that are printed. */
  readonly bytes: ByteBudget;

  /** @param printer other limits or another process, for a test. */
  constructor(source: DocumentSource, memory: ByteCeiling, printer: Partial<PrinterOptions> = {}) {
    this.#source = source;
    this.bytes = new ByteBudget(printBytes, memory);
    this.#printer = new Printer({ processFile: moduleFile('./process', import.meta.url), turnMsMax, ...printer });
  }

  /**
   * Returns an invoice as a PDF.
   *
   * @throws {ApiError} `overloaded` if there is no room for it, the machine is too busy, or the printer is stopped.
   * @throws {PrintError} if the process that prints fails.
   * @throws {ClientGoneError} if the client disconnects before its turn.
   */
  invoice(payer: Payer, invoice: StoredRecord, client: Client): Promise<Buffer> {
    return this.#print(payer, client, invoice, (reading) => readInvoice(reading, invoice as InvoiceRecord));
  }

  /**
   * Returns a statement of a tenancy as a PDF.
   *
   * @throws {ApiError} as `invoice`.
   * @throws {PrintError} as `invoice`.
   */
  statement(payer: Payer, tenancy: StoredRecord, facts: StatementFacts, client: Client): Promise<Buffer> {
    return this.#print(payer, client, tenancy, (reading) =>
      readStatementDocument(reading, tenancy as TenancyRecord, facts),
    );
  }

  /** Ends the process that prints. */
  stop(): Promise<void> {
    return this.#printer.stop();
  }

  /**
   * Reads a document when it is its turn, so that one that waits holds no memory. Its logo comes before. It can wait for many other files of
   * its account, and must not keep the turns of others meanwhile.
   */
  async #print(
    payer: Payer,
    client: Client,
    { account_id: accountId }: StoredRecord,
    read: (reading: Reading) => Promise<DocumentContents>,
  ): Promise<Buffer> {
    const { logos, ...source } = this.#source;
    const logo = await logos.of(await readAccount(source.readRecord, accountId));
    return this.#queue.run(payer, client, async () => this.#printHeld(payer, await read({ ...source, logo })));
  }

  async #printHeld(payer: Payer, contents: DocumentContents): Promise<Buffer> {
    const text = JSON.stringify({ ...contents, sender: { ...contents.sender, logo: null } });
    const logoBytes = 4 * (contents.sender.logo?.base64.length ?? 0);
    const bytes = Math.min(printedPerByte * text.length + logoBytes, printBytes.max);
    const held = await this.bytes.take(payer, bytes, AbortSignal.timeout(waitMs)).catch((cause: unknown) => {
      throw new ApiError('overloaded', 'The server has no room for this document. Try again shortly.', {
        retryAfterSeconds: 2,
        cause,
      });
    });
    try {
      return await this.#printer.print(contents);
    } catch (error) {
      if (!(error instanceof PrinterBusyError)) throw error;
      throw new ApiError('overloaded', 'The server is too busy to print this document. Try again shortly.', {
        retryAfterSeconds: 5,
        cause: error,
      });
    } finally {
      held.release();
    }
  }
}
