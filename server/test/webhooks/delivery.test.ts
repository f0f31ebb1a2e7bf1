import { expect, test } from 'vitest';
import { isSignedWith, receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';

test('an event is delivered, signed, within moments of its change', async () => {
  const receiver = await receiverForTest();
  const { api } = await serverForTest();
  const endpoint = await api.post('/v1/webhook_endpoints', {
    url: receiver.url,
    enabled_events: ['reference.created'],
  });
  expect(endpoint.status).toBe(200);
  const reference = await api.post('/v1/references', { application: 'app_1' });
  const [delivery] = await receiver.count(1);
  expect(isSignedWith(endpoint.body.signing_secret, delivery!)).toBe(true);
  expect(delivery!.body.data.object).toEqual(reference.body);
});
