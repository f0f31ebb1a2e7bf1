import { describe, expect, test } from 'vitest';
import { good } from '../support/server.ts';
import { eventsOf, quickServerForTest, refer, untilReference } from './scenario.ts';

describe('overruled and canceled references', () => {
  test('shows the first verdict first when the provider changes it within the shortest working days', async () => {
    const { api: fast } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '0.1' });
    const made = await Promise.all(
      Array.from({ length: 12 }, () => refer(fast, { simulate: 'consider_then_high_risk_then_accept' })),
    );
    await Promise.all(
      made.map(async ({ id }) => {
        const last = await untilReference(fast, id, { automatic_reference: { outcome: 'ACCEPT' } });
        expect(last).toMatchObject({ status: 'complete', outcome: 'consider' });
        const said = (await eventsOf(fast, id)).map(({ data }) => data.object.automatic_reference.outcome);
        expect([...new Set(said)]).toEqual([null, 'CONSIDER', 'HIGH_RISK', 'ACCEPT']);
      }),
    );
  });
});

describe('providers that cannot be reached', () => {
  test('shows last_error, retries and completes the reference when the provider is down for a while', async () => {
    const { api } = await quickServerForTest();
    const { id } = await refer(api, { simulate: 'provider_error_then_accept' });
    await untilReference(api, id, {
      status: 'pending',
      automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
    });
    const complete = await untilReference(api, id, { status: 'complete' });
    expect(complete).toMatchObject({ outcome: 'accept', automatic_reference: { last_error: null, status: 'done' } });
  });

  test('stops after ten failures of any kind, so that a person can end the reference, when the provider stays down', async () => {
    const { api } = await quickServerForTest();
    const kinds = {
      provider_error: /^unavailable: /,
      provider_garbage: /^response_invalid: /,
      invalid_details: /^invalid_details: /,
      error_quota_exceeded: /^quota_exceeded: /,
    };
    const failing = Object.entries(kinds).map(async ([simulate, lastError]) => {
      const { id } = await refer(api, { simulate });
      const failed = await untilReference(api, id, { automatic_reference: { status: 'failed' } }, 40_000);
      expect(failed, simulate).toMatchObject({
        status: 'pending',
        outcome: null,
        automatic_reference: { last_error: expect.stringMatching(lastError) },
      });
      expect((await good(api.post(`/v1/references/${id}`, { outcome: 'accept' }))).body).toMatchObject({
        status: 'complete',
        automatic_reference: { status: 'failed' },
      });
    });
    await Promise.all(failing);
  });
});
