import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest } from '../support/server.ts';
import { made, personIn, personKeptElsewhere, placesOf, serverWhoseErasuresLose, words } from './scenario.ts';

describe('interrupted erasures', () => {
  test('erases other customers when one erasure cannot be finished', async () => {
    const clock = new TestClock();
    const server = await serverForTest({ overrides: { clock } });
    const { api, context } = server;
    const people = [await made(api, 'customers', { name: 'Ada' }), await made(api, 'customers', { name: 'Bo' })];
    for (const { id } of people) await good(api.delete(`/v1/customers/${id}`));
    const { readers } = context.database;
    // A newer release in another process has written it, in a version that this one does not know.
    await readers.query(`update request_logs set api_version = '2099-01-01' where path = $1`, [
      `/v1/customers/${people[0].id}`,
    ]);
    clock.advanceSeconds(61);
    await context.eraser.finish();
    const { rows } = await readers.query('select history_erased_at is not null as finished from customers order by id');
    expect(rows).toEqual([{ finished: false }, { finished: true }]);
  });

  test('finishes an erasure in the next process when the first was killed, with the late writes of a slow request', async () => {
    const clock = new TestClock();
    const server = await serverForTest({
      overrides: { clock },
      // As if the process ended right after the commit.
      changeContext: (context) => ({
        ...context,
        eraser: Object.assign(context.eraser, { erasedNow: async () => {} }),
      }),
    });
    const { customer, references } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    await server.context.eraser.finish();
    // The erasure still waits, because another process may be writing.
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    clock.advanceSeconds(61);
    await server.context.eraser.finish();
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
    expect((await good(server.api.get(`/v1/references/${references[0].id}`))).body.deleted).toBe(true);
  });

  test('is done when a deletion is answered, although the database was away during it', async () => {
    const server = await serverWhoseErasuresLose(() => delay(700));
    const { customer } = await personIn(server);
    const { body } = await good(server.api.delete(`/v1/customers/${customer.id}`));
    expect(body).toStrictEqual({ id: customer.id, object: 'customer', deleted: true });
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
  });

  test('is done when the erasure of a reference is answered, although the database was away during it', async () => {
    const server = await serverWhoseErasuresLose(() => delay(700));
    const { reference, file } = await personKeptElsewhere(server.api);
    await good(server.api.post(`/v1/references/${reference.id}/erase`));
    expect(await placesOf(server, 'secretmeta')).toEqual([]);
    expectRefusal(await server.api.get(`/v1/files/${file.id}`), refusals.idUnknown);
  });

  test('is done when an answer is repeated for its Idempotency-Key, although the first process ended after the commit', async () => {
    const first = await serverForTest({
      changeContext: (context) => ({
        ...context,
        eraser: Object.assign(context.eraser, { erasedNow: async () => {} }),
      }),
    });
    const { connection, secretKey } = first;
    const second = await serverForTest({ connection, secretKey });
    const { reference } = await personKeptElsewhere(first.api);
    const key = { 'idempotency-key': 'erase-1' };
    await good(first.api.post(`/v1/references/${reference.id}/erase`, undefined, key));
    expect(await placesOf(first, 'secretmeta')).not.toEqual([]);
    const repeated = await good(second.api.post(`/v1/references/${reference.id}/erase`, undefined, key));
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(await placesOf(first, 'secretmeta')).toEqual([]);
  });
});
