import { expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { Reports } from '../../../src/referencing/reports.ts';
import { PrinterBusyError } from '../../../src/referencing/report/index.ts';
import { reference } from '../../../src/resources/reference/index.ts';
import { good, serverForTest } from '../../support/server.ts';
import { firstAccountId } from '../../support/tenants.ts';

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
