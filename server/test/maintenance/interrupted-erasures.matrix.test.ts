import { describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { good } from '../support/server.ts';
import { personIn, placesOf, serverWhoseErasuresLose, words } from './scenario.ts';

describe('interrupted erasures', () => {
  test('is done by the job, and the deletion is answered after ten seconds, when the database stays away', async () => {
    const clock = new TestClock();
    const answered = Promise.withResolvers<void>();
    const server = await serverWhoseErasuresLose(() => answered.promise, clock);
    server.context.eraser.waitMs = 10_000;
    const { customer } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    answered.resolve();
    await expect.poll(async () => (await server.api.get('/v1/account')).status).toBe(200);
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    clock.advanceSeconds(61);
    await server.context.eraser.finish();
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
  });
});
