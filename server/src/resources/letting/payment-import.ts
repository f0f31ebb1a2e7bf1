import { setImmediate } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { fingerprintsOf } from '../../bank/fingerprints.ts';
import { matcherOf, type Proposal } from '../../bank/matching.ts';
import { nameKey } from '../../bank/names.ts';
import { readStatement, statementBytesMax, statementLinesMax, type StatementLine } from '../../bank/statement-file.ts';
import { newRecord } from '../../model/change.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Fields, RecordOf, StoredRecord } from '../../model/record.ts';
import { defineResource, exactly, type Change, type RecordChange } from '../../model/resource.ts';
import { closedObject, named, oneOf } from '../../model/schemas/make.ts';
import { importsFile, type ImportedFile, type ReadRows } from '../../model/traits/imports-file.ts';
import { sumsUp } from '../../model/traits/sums-up.ts';
import type { BankLineRecord, LineStatus } from './bank-line/fields.ts';
import { bankLine } from './bank-line/index.ts';
import { readExpectations, readKnown } from './expected-payments.ts';

const ImportStatus = named('PaymentImportStatus', 'The state of an import.', oneOf('open', 'complete'));

const count = (description: string) => Type.Integer({ minimum: 0, description });
const Lines = named(
  'PaymentImportLines',
  'The lines that an import made, by their state now.',
  closedObject({
    proposed: count('The number of lines with a proposal.'),
    unmatched: count('The number of lines without one.'),
    confirmed: count('The number of lines that are payments.'),
    ignored: count('The number of ignored lines.'),
  }),
);

const fields = {
  filename: {
    column: 'text',
    schema: Type.String({ minLength: 1, maxLength: 255 }),
    description: 'The filename that the sender gave it.',
  },
  sha256: {
    column: 'text',
    schema: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    description: 'The SHA-256 hash of the file, in hex. The file itself is not kept.',
  },
  format: { column: 'text', schema: oneOf('csv'), description: 'The format of the file.' },
  status: {
    column: 'text',
    schema: ImportStatus,
    description: '`open` while lines of it wait for a decision: proposed or unmatched ones. Then `complete`.',
  },
  lines_new: {
    column: 'integer',
    schema: count('The number of lines.'),
    description: 'The number of bank lines that it made. No earlier file had these lines.',
  },
  lines_known: {
    column: 'integer',
    schema: count('The number of lines.'),
    description: 'The number of lines that an earlier file had. It made nothing of them.',
  },
  lines_skipped: {
    column: 'integer',
    schema: count('The number of lines.'),
    description: 'The number of lines without money that came in: an amount of 0 or below.',
  },
  known_lines: {
    column: 'json',
    schema: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: statementLinesMax }),
    description: 'The numbers, in the file, of the lines that an earlier file had.',
  },
  lines: { column: 'json', schema: Lines, description: 'The lines that it made, by their state now.' },
} satisfies Fields;

export type PaymentImportRecord = RecordOf<typeof fields>;

/** An upload of a bank statement. */
export const paymentImport = defineResource<PaymentImportRecord>(
  {
    object: 'payment_import',
    prefix: 'pim',
    path: 'payment_imports',
    table: 'payment_imports',
    docs: {
      description:
        'An upload of a bank statement. It made a [bank line](#tag/bank-lines) for each new line with incoming money. A line is new if no earlier file had it. No payment is made until you confirm a line.',
      example: {
        record: {
          filename: 'statement.csv',
          sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
          format: 'csv',
          status: 'open',
          lines_new: 41,
          lines_known: 2,
          lines_skipped: 7,
          known_lines: [2, 3],
          lines: { proposed: 38, unmatched: 3, confirmed: 0, ignored: 0 },
        },
        before: { lines: { proposed: 39, unmatched: 2, confirmed: 0, ignored: 0 } },
      },
    },
    fields,
    counted: ['status'],
    filters: exactly({ status: ImportStatus }),
  },
  importsFile({
    path: 'payments/import',
    permission: 'payments.write',
    bytesMax: statementBytesMax,
    contentType: 'text/csv',
    description: 'a bank statement as CSV',
    docs: {
      summary: 'Import a bank statement',
      description: `Send a form (\`multipart/form-data\`) with the field \`file\`: a bank statement as CSV, of up to ${statementLinesMax.toLocaleString('en')} lines and 1 MB. Its first line names the columns \`date\`, \`amount\`, \`reference\` and \`payer\`, and \`currency\` if it is not pounds. The guide [Collect rent](/docs/guides/rent#import-a-bank-statement) has the whole layout. Each line of money that came in becomes a bank line, with a proposal of its tenancy. No payment is made until you confirm a line. You can send a file again, or send files with overlapping days. Tenure skips the lines that it knows, and counts them in \`lines_known\`. If a line has an error, Tenure imports nothing. \`errors\` lists up to 20 errors with their lines. The file is not kept.`,
      example: { file: 'date,amount,reference,payer …' },
      refusals: ['status_transition_invalid'],
    },
    decide: importStatement,
  }),
  sumsUp([{ of: 'bank_lines', link: 'import', adapt: countLine }]),
);

/** Lines between which other requests go on. */
const linesAtOnce = 250;

const noLines: Static<typeof Lines> = { proposed: 0, unmatched: 0, confirmed: 0, ignored: 0 };

async function importStatement(
  made: StoredRecord,
  { bytes, filename, sha256 }: ImportedFile,
  caller: Caller,
  read: ReadRows,
): Promise<Pick<Change<StoredRecord>, 'after' | 'also'>> {
  const { lines, skipped } = readStatement(bytes, caller.today);
  // To read a large file takes some 50 ms. Other requests go on between the parts of the work.
  await setImmediate();
  const fingerprints = fingerprintsOf(lines);
  const known = await readKnown(read, made.account_id, fingerprints);
  const fresh = lines.flatMap((line, index) => {
    const fingerprint = fingerprints[index]!;
    return known.has(fingerprint) ? [] : [{ line, fingerprint }];
  });
  const expected = await readExpectations(
    read,
    made.account_id,
    caller.account.invoice_prefix,
    fresh.map(({ line }) => line),
  );
  const propose = matcherOf(expected);
  const after: PaymentImportRecord = {
    ...made,
    filename,
    sha256,
    format: 'csv',
    status: 'complete',
    lines_new: fresh.length,
    lines_known: lines.length - fresh.length,
    lines_skipped: skipped,
    known_lines: lines.filter((_, index) => known.has(fingerprints[index]!)).map(({ line }) => line),
    // The sum over its lines follows.
    lines: noLines,
  };
  const also: RecordChange[] = [];
  for (let at = 0; at < fresh.length; at += linesAtOnce) {
    for (const { line, fingerprint } of fresh.slice(at, at + linesAtOnce)) {
      const record = lineRecord(after, line, propose(line), fingerprint, caller);
      also.push({ resource: bankLine, before: null, after: record });
    }
    await setImmediate();
  }
  return { after, also };
}

function lineRecord(
  { id, account_id: accountId }: PaymentImportRecord,
  line: StatementLine,
  { match, candidates }: Proposal,
  fingerprint: string,
  caller: Caller,
): BankLineRecord & { deleted_at: null } {
  return {
    ...newRecord(caller.makeId(bankLine.prefix), accountId),
    import: id,
    ...line,
    status: match ? 'proposed' : 'unmatched',
    tenancy: match?.tenancy ?? null,
    customer: match?.customer ?? null,
    matched_by: match?.matched_by ?? [],
    candidates,
    payment: null,
    confirmed_at: null,
    ignored_at: null,
    fingerprint,
    payer_key: nameKey(line.payer_name),
    deleted_at: null,
  };
}

/** Counts a line that was made or moved. */
function countLine(
  current: StoredRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): { after: StoredRecord } {
  const [was, is] = [before, after].map((line) => (line as BankLineRecord | null)?.status ?? null);
  if (was === is) return { after: current };
  const record = current as PaymentImportRecord;
  const lines = { ...record.lines };
  const add = (status: LineStatus | null | undefined, by: number): void => {
    if (status) lines[status] += by;
  };
  add(was, -1);
  add(is, 1);
  const isOpen = lines.proposed + lines.unmatched > 0;
  const counted: PaymentImportRecord = { ...record, lines, status: isOpen ? 'open' : 'complete' };
  return { after: counted };
}
