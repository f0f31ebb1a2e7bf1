import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { processesForTest } from '../support/processes.ts';
import { bodies } from '../support/routes.ts';
import { apiClient, good } from '../support/server.ts';
import { occurrencesIn } from './traces.ts';

/* An erasure is killed with -9 between two of its steps. It ends after the restart, and loses nothing that a duty needs. */

/** The duty that finishes an erasure runs every half a minute. A busy machine takes longer. */
const finishedMs = 300_000;

/** A look reads every row of every table. */
const lookEveryMs = 2_000;

const words = ['Zebedee', 'agreementbytes', 'passportbytes'];

// Each test waits for its own duty, so they wait at the same time.
test.concurrent.for<[moment: string, statement: string]>([
  ['before the first copy of a file', 'insert into retention_hold_parts'],
  ['before the files are deleted', 'delete from files'],
  ['before the events are emptied', 'update events event'],
  ['before the logs are emptied', 'update request_logs log'],
])('ends an erasure after the restart when the process is killed %s', async ([, statement], context) => {
  const processes = await processesForTest(undefined, context.onTestFinished);
  const dying = await processes.start({ TEST_DIE_AT: statement }, 'server/test/maintenance/dying-server.ts');
  const api = apiClient(dying.url, processes.secretKey);
  const made = async (path: string, body: object): Promise<string> =>
    (await good(api.post(`/v1/${path}`, body))).body.id;
  const upload = (bytes: string): Promise<string> => made('files', formOf({}, pdfOf(bytes), `${bytes}.pdf`));
  const [agreement, evidence] = [await upload('agreementbytes'), await upload('passportbytes')];
  const right = { status: 'unlimited', checked_on: '2026-01-01', files: [evidence] };
  const customer = await made('customers', { name: 'Zebedee', right_to_rent: right });
  const building = await made('buildings', bodies['POST /v1/buildings']!);
  const unit = await made('units', { building, name: 'Flat 2' });
  const draft = { ...bodies['POST /v1/tenancies'], unit, customers: [customer], agreement };
  const tenancy = await made('tenancies', draft);
  const payment = await made('payments', { tenancy, amount: 1, method: 'cash', received_on: '2026-01-10' });
  await good(api.post(`/v1/payments/${payment}/refund`, { amount: 1 }));

  await api.delete(`/v1/customers/${customer}`).catch(() => null);
  while (dying.isRunning) await delay(5);
  const present = (): Promise<string[]> =>
    withClient(processes.connection, async (client) => {
      const found: string[] = [];
      for (const word of words) if ((await occurrencesIn(client, word)).length > 0) found.push(word);
      return found;
    });
  expect(await present()).not.toEqual([]);

  const next = await processes.start({});
  const after = apiClient(next.url, processes.secretKey);
  await good(after.post('/v1/test_helpers/clock/advance', { seconds: 61 }));
  const untilMs = performance.now() + finishedMs;
  while ((await present()).length > 0 && performance.now() < untilMs) await delay(lookEveryMs);
  expect(await present()).toEqual([]);
  const { data: holds } = (await good(after.get(`/v1/retention_holds?customer=${customer}`))).body;
  expect(holds).toMatchObject([{ kind: 'accounts', files: [agreement], status: 'held' }]);
  const revealed = await good(after.post(`/v1/retention_holds/${holds[0].id}/reveal`, { reason: 'A test.' }));
  expect(revealed.body.content).toMatchObject({ name: 'Zebedee' });
  const contents = await good(after.get(`/v1/retention_holds/${holds[0].id}/contents?file=${agreement}`));
  expect(contents.text).toContain('agreementbytes');
});
