import { expect, onTestFinished, test } from 'vitest';
import { lettingClock, startLetting } from '../letting/agency.ts';
import { ByteCeiling } from '../../src/core/limits/byte-budget.ts';
import { Documents } from '../../src/rent-documents/index.ts';
import { newMasterKey } from '../../src/server/config.ts';
import { responseClosed } from '../support/response-closed.ts';
import { serverForTest } from '../support/server.ts';
import { Office } from './office.ts';

const one = 512 * 1024;

async function codeOf(refused: Response): Promise<string> {
  const { error } = (await refused.json()) as { error: { code: string } };
  return error.code;
}

test('refuses with 429, or 503 for other accounts, when too many documents are in progress', async () => {
  const waiting = Promise.withResolvers<Buffer>();
  const server = await serverForTest({
    overrides: { clock: lettingClock(), readLimits: { waitMs: 50, downloadBytes: { max: one, maxPerAccount: one } } },
    changeContext: (context) => ({
      ...context,
      documents: { invoice: () => waiting.promise, statement: () => waiting.promise },
    }),
  });
  const [office, other] = [await Office.on(server), await Office.on(server)];
  const first = office.fetch(`/v1/invoices/${(await office.invoice()).id}/pdf`);
  await expect.poll(() => server.context.readBudgets.downloads.held).toBe(one);
  const statement = `/v1/tenancies/${office.tenancy.id}/statement?format=pdf`;
  const own = await office.fetch(statement);
  expect([own.status, await codeOf(own), own.headers.get('retry-after')]).toEqual([429, 'rate_limit', '2']);
  const others = await other.fetch(`/v1/tenancies/${other.tenancy.id}/statement?format=pdf`);
  expect([others.status, await codeOf(others)]).toEqual([503, 'overloaded']);
  waiting.resolve(Buffer.from('%PDF-1.7 a document'));
  expect(await (await first).text()).toBe('%PDF-1.7 a document');
  expect((await office.fetch(statement)).status).toBe(200);
});

test('counts a document until it is printed when its client disconnects before', async () => {
  const waiting = Promise.withResolvers<Buffer>();
  const server = await serverForTest({
    overrides: { clock: lettingClock() },
    changeContext: (context) => ({ ...context, documents: { ...context.documents, invoice: () => waiting.promise } }),
  });
  const office = await Office.on(server);
  const path = `/v1/invoices/${(await office.invoice()).id}/pdf`;
  const { downloads } = server.context.readBudgets;
  const leaving = new AbortController();
  const closed = responseClosed(path);
  const first = office.fetch(path, { signal: leaving.signal });
  await expect.poll(() => downloads.held).toBe(one);
  leaving.abort();
  await expect(first).rejects.toThrow('aborted');
  await closed;
  expect(downloads.held).toBe(one);
  waiting.resolve(Buffer.from('%PDF-1.7 a document'));
  await expect.poll(() => downloads.held).toBe(0);
});

test('forgets the documents that wait for their turn when their clients leave', async () => {
  const reading = Promise.withResolvers<void>();
  const server = await serverForTest({
    overrides: { clock: lettingClock() },
    changeContext: (context) => {
      const memory = new ByteCeiling({ max: 2 ** 30, maxPerTree: 2 ** 30, reserved: 0, little: 0 });
      const readRecord: typeof context.readRecord = async (resource, accountId, id) => {
        if (resource.object === 'tenancy') await reading.promise;
        return context.readRecord(resource, accountId, id);
      };
      const logos = { of: () => Promise.resolve(null) };
      const documents = new Documents({ reader: context.reader, readRecord, logos, mode: 'sandbox' }, memory);
      onTestFinished(() => documents.stop());
      return { ...context, documents };
    },
  });
  const { downloads } = server.context.readBudgets;
  const office = await Office.on(server);
  const path = `/v1/invoices/${(await office.invoice()).id}/pdf`;
  const staying = [office.fetch(path), office.fetch(path)];
  await expect.poll(() => downloads.held).toBe(2 * one);
  const leaving = new AbortController();
  const others = Array.from({ length: 4 }, () => office.fetch(path, { signal: leaving.signal }));
  await expect.poll(() => downloads.held).toBe(6 * one);
  leaving.abort();
  await Promise.allSettled(others);
  await expect.poll(() => downloads.held).toBe(2 * one);
  reading.resolve();
  expect((await Promise.all(staying)).map(({ status }) => status)).toEqual([200, 200]);
});

test('refuses with 503 and Retry-After when the machine is too busy to print in time, or when the server stops', async () => {
  let documents: Documents;
  const server = await serverForTest({
    overrides: { clock: lettingClock() },
    changeContext: (context) => {
      const memory = new ByteCeiling({ max: 2 ** 30, maxPerTree: 2 ** 30, reserved: 0, little: 0 });
      documents = new Documents({ ...context, mode: 'sandbox' }, memory, { turnMsMax: 1 });
      return { ...context, documents };
    },
  });
  const office = await Office.on(server);
  const paths = [
    `/v1/invoices/${(await office.invoice()).id}/pdf`,
    `/v1/tenancies/${office.tenancy.id}/statement?format=pdf`,
  ];
  const expectBusy = async (): Promise<void> => {
    for (const path of paths) {
      const refused = await office.fetch(path);
      expect([refused.status, await codeOf(refused), refused.headers.get('retry-after')]).toEqual([
        503,
        'overloaded',
        '5',
      ]);
    }
  };
  await expectBusy();
  await documents!.stop();
  await expectBusy();
});

test('prints many documents at once for several accounts when the process has the role api', async () => {
  const server = await startLetting({
    settings: { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() },
  });
  try {
    const offices = [await Office.on(server), await Office.on(server)];
    const invoices = await Promise.all(offices.map((office) => office.invoice()));
    const pdfs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => offices[index % 2]!.invoicePdf(invoices[index % 2]!)),
    );
    expect(new Set(pdfs.map((pdf) => pdf.toString('latin1'))).size).toBe(2);
    expect(server.context.readBudgets.downloads.held).toBe(0);
  } finally {
    await server.stop();
  }
});

test('prints a document while the logos of another account wait for their turn', async () => {
  const waiting = Promise.withResolvers<null>();
  let slowAccount = '';
  let begun = 0;
  const of = async ({ id }: { id: string }): Promise<null> => {
    if (id !== slowAccount) return null;
    begun++;
    return waiting.promise;
  };
  const server = await serverForTest({
    overrides: { clock: lettingClock() },
    changeContext: (context) => {
      const memory = new ByteCeiling({ max: 2 ** 30, maxPerTree: 2 ** 30, reserved: 0, little: 0 });
      const documents = new Documents({ ...context, logos: { of }, mode: 'sandbox' }, memory);
      onTestFinished(() => documents.stop());
      return { ...context, documents };
    },
  });
  const [office, other] = [await Office.on(server), await Office.on(server)];
  slowAccount = office.agency.accountId;
  const invoice = await office.invoice();
  const slow = Array.from({ length: 3 }, () => office.invoicePdf(invoice));
  await expect.poll(() => begun).toBeGreaterThanOrEqual(2);
  await other.invoicePdf(await other.invoice());
  waiting.resolve(null);
  await Promise.all(slow);
});
