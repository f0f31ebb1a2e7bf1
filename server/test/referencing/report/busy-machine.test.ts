import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { Reports } from '../../../src/referencing/reports.ts';
import { PrinterBusyError } from '../../../src/referencing/report/index.ts';
import { reference } from '../../../src/resources/reference/index.ts';
import type { ReferenceRecord } from '../../../src/resources/reference/record.ts';
import { good, serverForTest, type Api } from '../../support/server.ts';
import { addAccount, firstAccountId } from '../../support/tenants.ts';

const busyPrinter = { print: () => Promise.reject(new PrinterBusyError('The machine is too busy.')) };
const busyLogos = {
  of: () => Promise.reject(new ApiError('overloaded', 'The server has too many files to check.')),
};

test.each([
  ['print it', (context: object) => context, busyPrinter],
  ['prepare its logo', (context: object) => ({ ...context, logos: busyLogos }), { print: async () => Buffer.alloc(1) }],
] as const)('postpones a report without a failure when the machine is too busy to %s', async (_, change, printer) => {
  const server = await serverForTest();
  const { id } = (await good(server.api.post('/v1/references', { application: 'app_1' }))).body;
  const record = await server.context.readRecord(reference, await firstAccountId(server), id);
  const reports = new Reports({ ...server.context, ...change(server.context) }, printer);
  const made = reports.make(record!, { findings: null, decision: null, number: 1 });
  // Without this time, the pauses would grow to hours, and the tenth failure would end the check.
  await expect(made).rejects.toMatchObject({ code: 'report_failed', busyForSeconds: 30 });
});

test('fails with advice when the machine has been too busy for the report twenty times in a row', async () => {
  const server = await serverForTest();
  const { id } = (await good(server.api.post('/v1/references', { application: 'app_1' }))).body;
  const record = await server.context.readRecord(reference, await firstAccountId(server), id);
  let isBusy = true;
  const printer = { print: () => (isBusy ? busyPrinter.print() : Promise.resolve(Buffer.alloc(1))) };
  const reports = new Reports(server.context, printer);
  const make = () => reports.make(record!, { findings: null, decision: null, number: 1 });
  for (let times = 1; times <= 20; times++) await expect(make()).rejects.toMatchObject({ busyForSeconds: 30 });
  await expect(make()).rejects.toMatchObject({
    code: 'report_failed',
    message: expect.stringMatching(/21 times.*tell the operator/),
    busyForSeconds: null,
  });
  isBusy = false;
  await make();
  isBusy = true;
  await expect(make()).rejects.toMatchObject({ busyForSeconds: 30 });
});

test('prints a report while the logo of another account waits for its turn', async () => {
  const server = await serverForTest();
  const other = await addAccount(server);
  const recordOf = async (api: Api, accountId: string): Promise<ReferenceRecord> => {
    const { id } = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    return (await server.context.readRecord(reference, accountId, id))!;
  };
  const accountId = await firstAccountId(server);
  const waiting = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<void>();
  const of = async ({ id }: { id: string }): Promise<null> => {
    if (id !== accountId) return null;
    begun.resolve();
    return waiting.promise;
  };
  const reports = new Reports({ ...server.context, logos: { of } }, { print: async () => Buffer.alloc(1) });
  const make = async (record: Promise<ReferenceRecord>) =>
    reports.make(await record, { findings: null, decision: null, number: 1 });
  const first = make(recordOf(server.api, accountId));
  await begun.promise;
  await make(recordOf(other.api, other.accountId));
  waiting.resolve(null);
  await first;
});
