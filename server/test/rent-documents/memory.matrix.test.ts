import { expect, onTestFinished, test } from 'vitest';
import { Printer } from '../../src/print/printer.ts';
import type { DocumentContents } from '../../src/rent-documents/contents.ts';
import { waitMs } from '../support/wait.ts';

test('prints a long statement within the memory of a thread when its texts change their script at each letter', async () => {
  const threadFile = new URL('../../src/rent-documents/thread.ts', import.meta.url);
  const printer = new Printer<DocumentContents>({ threadFile, processorMsMax: waitMs, turnMsMax: waitMs });
  onTestFinished(() => printer.stop());
  const entry = { date: '2027-01-01', type: 'invoice', amount: 100, balance: 100, number: null, method: null };
  const pdf = await printer.print({
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
  });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});
