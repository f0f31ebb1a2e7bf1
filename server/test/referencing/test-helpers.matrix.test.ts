import { describe, expect, test } from 'vitest';
import type { Provider } from '../../src/core/vocabulary/providers.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest } from '../support/server.ts';
import { quickServerForTest, refer, referenceNow } from './scenario.ts';

/** The first status that each service shows after the order. Only `provider_b` is left out: it is done at once. */
const firstStatuses: Record<Exclude<Provider, 'provider_b'>, string> = {
  provider_a: 'invited',
  provider_c: 'in_progress',
  provider_d: 'in_progress',
};

describe('referencing test helpers', () => {
  test.each(['0.1', '80000'])(
    'completes a new reference at once by a test helper when a working day takes %s seconds',
    async (speed) => {
      const { api: own } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: speed });
      for (let time = 0; time < 20; time++) {
        const { id } = await refer(own, { simulate: 'consider' });
        const { body } = await good(own.post(`/v1/test_helpers/references/${id}/complete`));
        expect(body).toMatchObject({
          status: 'complete',
          outcome: 'consider',
          automatic_reference: { status: 'done' },
        });
        expect(body.reference_pdf).toMatch(/^file_/);
      }
    },
  );

  test.each(Object.entries(firstStatuses))(
    'shows the effect of test helpers when they are called right after %s is asked',
    async (provider, first) => {
      const { api: slow } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
      for (let time = 0; time < 5; time++) {
        const asked = async (name: string, body: object, simulate?: string) => {
          const { id } = await refer(slow, { provider, ...(simulate !== undefined && { simulate }) });
          return (await good(slow.post(`/v1/test_helpers/references/${id}/${name}`, body))).body;
        };
        expect(await asked('complete', { outcome: 'high_risk' })).toMatchObject({
          status: 'complete',
          outcome: 'high_risk',
        });
        expect(await asked('advance', {})).toMatchObject({ automatic_reference: { status: first } });
        expect(await asked('advance', {}, 'provider_error_then_accept')).toMatchObject({
          automatic_reference: { last_error: null },
        });
        const failed = await asked('fail', { code: 'bureau_down' });
        expect(failed.automatic_reference.last_error).toMatch(/^bureau_down: /);
        const unavailable = await asked('fail', {});
        expect(unavailable.automatic_reference.last_error).toMatch(/^unavailable: /);
        const garbage = await asked('fail', { code: 'provider_garbage' });
        expect(garbage.automatic_reference.last_error).toMatch(/^response_invalid: /);
        const noted = await asked('note', { message: 'The bank has answered.' });
        if (provider !== 'provider_a') continue;
        expect(JSON.stringify(noted.automatic_reference.provider_data)).toContain('The bank has answered.');
      }
    },
  );

  test('changes nothing and leaves the key free when no worker takes the order of a test helper', async () => {
    const { api: idle, context } = await serverForTest({ overrides: { watchLimits: { takenUpMsMax: 3_000 } } });
    const { id } = await refer(idle);
    const key = { 'idempotency-key': 'complete-1' };
    const waiting = idle.post(`/v1/test_helpers/references/${id}/complete`, {}, key);
    // The waiting helper blocks no other request of the account.
    await good(idle.post(`/v1/references/${id}`, { metadata: { meanwhile: 'changed' } }));
    const answer = await waiting;
    expectRefusal(answer, refusals.unavailable);
    expect(answer.body.error.message).toContain('TENURE_ROLE');
    expect(await referenceNow(idle, id)).toMatchObject({ status: 'pending', metadata: { meanwhile: 'changed' } });
    const { rows } = await context.database.readers.query('select count(*)::int as count from idempotency_keys');
    expect(rows).toEqual([{ count: 0 }]);
  });
});
