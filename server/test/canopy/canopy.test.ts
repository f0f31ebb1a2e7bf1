import { expect, test } from 'vitest';
import { good } from '../support/server.ts';
import { withWrongSecret } from '../support/canopy.ts';
import { referenceNow } from '../referencing/scenario.ts';
import { expectReport, orderNow, referAda, sceneForTest, untilShown } from './translator.ts';

/* The translator between Tenure and Canopy. Canopy is an imitation that is written from its documents. */

test('orders a check once with the details of the person when a reference is created', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  expect(canopy.requests[0]!.body).toEqual({
    email: 'ada@example.org',
    firstName: 'Ada King',
    lastName: 'Lovelace',
    phone: '020 7946 0182',
    requestType: 'RENTER_SCREENING',
    itemType: 'FULL',
    callbackUrl: canopy.webhooks.get('REQUEST_STATUS_UPDATES'),
    clientReferenceId: id,
  });
  expect(canopy.calls.filter((call) => call === 'token')).toHaveLength(1);
});

test('completes the reference with a report when Canopy sends its document', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  expect(await canopy.event('PASSPORT_COMPLETED')).toBe(200);
  expect(await canopy.finish('VERIFY')).toBe(200);
  const ended = await untilShown(scene, id, {
    status: 'complete',
    outcome: 'accept',
    automatic_reference: { status: 'done' },
  });
  expect(canopy.calls.filter((call) => call === 'document')).toHaveLength(1);
  await expectReport(scene, ended);
});

test('refuses a webhook with a wrong secret, and reads no word of it', async () => {
  const scene = await sceneForTest();
  const { canopy, server, settings } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  const [requested] = canopy.requests;
  const url = requested!.callbackUrl;
  const message = { canopyReferenceId: requested!.id, clientReferenceId: id, notes: 'INVALID_APPLICATION_DETAILS' };
  const before = await orderNow(scene, id);
  expect(await canopy.post(withWrongSecret(url), message)).toBe(404);
  expect(await canopy.post(`${settings.callbackUrl}/canopy/another-client/${url.split('/').at(-1)}`, message)).toBe(
    404,
  );
  expect(await canopy.post(url, 'no JSON')).toBe(400);
  expect(await canopy.post(url, { ...message, canopyReferenceId: 'of-another-program', clientReferenceId: '1' })).toBe(
    200,
  );
  expect(await orderNow(scene, id)).toEqual(before);
  expect(await referenceNow(server.api, id)).toMatchObject({ status: 'pending' });
});

test('shows the places of the faults without their texts when Canopy refuses the details', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  const id = await referAda(scene, { email: 'ada@example.invalid' });
  const refused = await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^invalid_details: /) },
  });
  expect(refused.automatic_reference.last_error).toContain('Validation error (email)');
  expect(refused.automatic_reference.last_error).not.toContain('ada@');
  await expect.poll(() => orderNow(scene, id)).toBe(undefined);
  await good(server.api.post(`/v1/customers/${refused.customer}`, { email: 'ada@example.org' }));
  await good(server.api.post(`/v1/references/${id}/retry`));
  await expect.poll(() => canopy.requests.length).toBe(1);
});

test('asks for an e-mail address when the person has none', async () => {
  const scene = await sceneForTest();
  const id = await referAda(scene, { email: null });
  await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^email_missing: /) },
  });
  expect(scene.canopy.calls).not.toContain('request');
});

test.for([
  ['secretKey', 'a-wrong-secret-key'],
  ['apiKey', 'a-wrong-api-key'],
] as const)('shows that the credentials are wrong, and makes no order, when the %s is wrong', async ([name, value]) => {
  const scene = await sceneForTest({ credentials: { [name]: value } });
  const id = await referAda(scene);
  await untilShown(scene, id, {
    status: 'pending',
    automatic_reference: { last_error: expect.stringMatching(/^unauthorized: /) },
  });
  expect(scene.canopy.requests).toEqual([]);
  await expect.poll(() => orderNow(scene, id)).toBe(undefined);
});

test('gets a new token and orders once when the token has expired', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  canopy.expireTokens();
  await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  expect(canopy.calls.filter((call) => call === 'token')).toHaveLength(2);
});
