import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { Printer } from '../../src/print/printer.ts';
import type { DocumentContents } from '../../src/rent-documents/contents.ts';
import { waitMs } from '../support/wait.ts';

const processFile = new URL('../../src/rent-documents/process.ts', import.meta.url);

test('prints a long statement within the memory of its process when its texts change their script at each letter', async () => {
  const printer = new Printer<DocumentContents>({ processFile, processorMsMax: waitMs, turnMsMax: waitMs });
  onTestFinished(() => printer.stop());
  const pdf = await printer.print(longStatement());
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});

test('keeps the server small when it prints a long statement', () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { Printer } from '${new URL('../../src/print/printer.ts', import.meta.url).href}';
    const contents = JSON.parse(readFileSync(0, 'utf8'));
    const limits = { processorMsMax: ${waitMs}, turnMsMax: ${waitMs} };
    const printer = new Printer({ processFile: new URL('${processFile.href}'), ...limits });
    const before = process.memoryUsage.rss();
    await printer.print(contents);
    console.log(process.memoryUsage.rss() - before);
    await printer.stop();`;
  const input = JSON.stringify(longStatement());
  const grownBytes = Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { input }));
  // In a thread, the same statement took 100 MB and more.
  expect(grownBytes).toBeLessThan(40e6);
});

/** Returns one of the statements that need the most memory. */
function longStatement(): DocumentContents {
  const entry = { date: '2027-01-01', type: 'invoice', amount: 100, balance: 100, number: null, method: null };
  return {
    kind: 'statement',
    sender: {
      name: 'Ouse Lettings',
      address: null,
      email: null,
      phone: null,
      registration: null,
      logo: null,
      bank: null,
    },
    recipients: ['Ada Lovelace'],
    home: null,
    tenancy: 'ten_1',
    currency: 'gbp',
    isTest: true,
    from: null,
    to: '2027-01-31',
    opening: 0,
    closing: 100,
    entries: Array.from({ length: 2_000 }, () => ({ ...entry, description: 'aअ'.repeat(30) })),
    arrears: { amount: 0, since: null },
  };
}
