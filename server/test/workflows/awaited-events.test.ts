import { expect, test } from 'vitest';
import { Reader, type ReadStatement } from '../../src/db/reader.ts';
import type { WorkflowRunRecord } from '../../src/resources/workflows/run.ts';
import { findAwaited, type InTurn } from '../../src/workflows/awaited-events.ts';
import { multiplyEvents } from '../events/scenario.ts';
import { good, serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

const bytesOfEvent = 300_000;

test('reads less than a megabyte of earlier events at once when a run looks for one among large events', async () => {
  const server = await serverForTest();
  const { context } = server;
  const tenant = await addAccount(server);
  await good(tenant.api.post('/v1/customers', { name: 'Ada' }));
  const { readers } = context.database;
  await readers.query(`update events set data = rpad(data, ${bytesOfEvent}) where account_id = $1`, [tenant.accountId]);
  await multiplyEvents(tenant, 45, server);
  const pages: number[] = [];
  const reader = new (class extends Reader {
    override async query<Row extends object>(statement: ReadStatement): Promise<Row[]> {
      const rows = await super.query<Row>(statement);
      pages.push((rows as { data?: string }[]).reduce((sum, { data = '' }) => sum + data.length, 0));
      return rows;
    }
  })(readers);
  let turns = 0;
  const inTurn: InTurn = (look) => {
    turns++;
    return look();
  };
  const run = {
    account_id: tenant.accountId,
    steps: [],
    progress: { at: 0, item: 0, from: 'evt_' },
    definition: { steps: [{ id: 'wait' }], api_version: context.versions.newest },
  } as unknown as WorkflowRunRecord;
  const find = (name: string): Promise<string | null> =>
    findAwaited(
      { ...context, reader },
      run,
      ['customer.created'],
      [{ path: 'data.object.name', op: 'eq', value: name }],
      inTurn,
    );
  expect(await find('Bob')).toBeNull();
  expect(Math.max(...pages)).toBeGreaterThan(bytesOfEvent);
  expect(Math.max(...pages)).toBeLessThan(1024 * 1024);
  expect(turns).toBe(pages.length);
  // All 46 events are looked at, the last ones too.
  expect(pages.reduce((sum, bytes) => sum + bytes, 0)).toBe(46 * bytesOfEvent);
  const { rows } = await readers.query<{ id: string }>(
    `
    update events set data = replace(data, 'Ada', 'Bob')
    where account_id = $1 and id = (select max(id) from events where account_id = $1)
    returning id`,
    [tenant.accountId],
  );
  expect(await find('Bob')).toBe(rows[0]!.id);
  // Small events: their number ends a page.
  await readers.query('update events set data = rtrim(data) where account_id = $1', [tenant.accountId]);
  expect(await find('Eve')).toBeNull();
  expect(await find('Bob')).toBe(rows[0]!.id);
});
