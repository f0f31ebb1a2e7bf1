import { readFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { canopyForTest } from '../support/canopy.ts';
import { good, serverForTest } from '../support/server.ts';
import { referenceNow } from '../referencing/scenario.ts';
import {
  expectReport,
  orderNow,
  referAda,
  sceneForTest,
  settingsFor,
  token,
  translatorForTest,
  untilShown,
} from './translator.ts';

/* Longer courses of checks with the translator to Canopy. Tenure reads an order every few seconds at most. */

test('shows the invitation, the progress and the notes when Canopy announces them', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  expect(await canopy.event('INVITED')).toBe(200);
  await untilShown(scene, id, { automatic_reference: { status: 'invited' } });
  expect(await canopy.event('CONNECTED')).toBe(200);
  expect(await canopy.section('INCOME', 'DONE', 'IN_PROGRESS')).toBe(200);
  const now = await untilShown(scene, id, {
    automatic_reference: { status: 'in_progress', provider_data: { provider_a: { progress: 50 } } },
  });
  const { notes } = now.automatic_reference.provider_data.provider_a;
  expect(notes.map(({ message }: { message: string }) => message)).toEqual([
    'Canopy has invited the person.',
    'The person has accepted the invitation.',
    'The income is done.',
  ]);
});

test.for([
  ['ACCEPT', 'accept'],
  ['CONSIDER', 'consider'],
  ['HIGH_RISK', 'high_risk'],
])('completes the reference with a report when Canopy sends its document with %s', async ([status, outcome]) => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  expect(await canopy.event('PASSPORT_COMPLETED')).toBe(200);
  expect(await canopy.finish(status!)).toBe(200);
  const ended = await untilShown(scene, id, {
    status: 'complete',
    outcome,
    automatic_reference: { status: 'done' },
  });
  expect(canopy.calls.filter((call) => call === 'document')).toHaveLength(1);
  await expectReport(scene, ended);
});

test('changes nothing more when each webhook comes twice, and late ones come after the end', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  for (const event of ['INVITED', 'INVITED', 'CONNECTED', 'CONNECTED', 'INVITED']) await canopy.event(event);
  const now = await untilShown(scene, id, { automatic_reference: { status: 'in_progress' } });
  expect(now.automatic_reference.provider_data.provider_a.notes).toHaveLength(2);
  await canopy.finish('VERIFY');
  const ended = await untilShown(scene, id, { status: 'complete', outcome: 'accept' });
  const before = await orderNow(scene, id);
  await canopy.event('CONNECTION_STOPPED');
  await canopy.section('INCOME', 'DONE', 'HIGH_RISK');
  expect(await orderNow(scene, id)).toEqual(before);
  expect(await referenceNow(server.api, id)).toEqual(ended);
});

test('ignores a result whose document Canopy does not have, or that leads elsewhere', async () => {
  const scene = await sceneForTest();
  const { canopy, lines } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.finish('HIGH_RISK', { url: '/referencing-requests/client/client-7/documents/invented' });
  await expect.poll(() => lines.some((line) => line.includes('does not have the announced document'))).toBe(true);
  for (const url of [
    'https://elsewhere.example/report.pdf',
    '/referencing-requests/client/client-8/documents/1',
    '/documents/../1',
  ])
    await canopy.finish('HIGH_RISK', { url });
  await canopy.finish('A_NEW_WORD');
  expect(canopy.calls.filter((call) => call === 'document')).toHaveLength(8);
  await canopy.finish('VERIFY');
  await untilShown(scene, id, { status: 'complete', outcome: 'accept' });
});

test('stops the check and ignores later messages when the reference is canceled', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.event('INVITED');
  await untilShown(scene, id, { automatic_reference: { status: 'invited' } });
  await good(server.api.post(`/v1/references/${id}/cancel`));
  await untilShown(scene, id, { status: 'canceled' });
  await expect.poll(() => orderNow(scene, id)).toMatchObject({ stage: 'CANCELLED' });
  expect(await canopy.finish('VERIFY')).toBe(200);
  expect(await referenceNow(server.api, id)).toMatchObject({ status: 'canceled', outcome: null });
  // Canopy's documents have no call that withdraws a request.
  expect(new Set(canopy.calls)).toEqual(new Set(['token', 'register', 'request']));
});

test('shows what to do when the person rejects the invitation, and invites another address', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.event('INVITED');
  await canopy.event('CONNECTION_REJECTED');
  const stuck = await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^renter_declined: /) },
  });
  await good(server.api.post(`/v1/customers/${stuck.customer}`, { email: 'ada.king@example.org' }));
  await expect.poll(() => canopy.requests.length).toBe(2);
  const [first, second] = canopy.requests;
  await untilShown(scene, id, { automatic_reference: { last_error: null } });
  // The person can reject this one, too, and think again.
  await canopy.event('CONNECTION_REJECTED');
  await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^renter_declined: /) },
  });
  await canopy.event('CONNECTED');
  await untilShown(scene, id, { automatic_reference: { status: 'in_progress', last_error: null } });
  expect(second!.body).toMatchObject({ email: 'ada.king@example.org', clientReferenceId: id });
  // The first invitation cannot be withdrawn. Its result does not count.
  await canopy.finish('HIGH_RISK', {}, first);
  await canopy.finish('VERIFY', {}, second);
  await untilShown(scene, id, { status: 'complete', outcome: 'accept' });
});

test('orders when Canopy is there again after it was down', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  await canopy.stop();
  const id = await referAda(scene);
  await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
  });
  await canopy.start();
  await good(server.api.post(`/v1/references/${id}/retry`));
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.event('INVITED');
  await untilShown(scene, id, { automatic_reference: { status: 'invited', last_error: null } });
});

test('looks for a document again when Canopy fails after it has announced it', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  canopy.next.push(...[500, 429, 404].map((status) => ({ call: 'document' as const, does: { status } })));
  await canopy.finish('CONSIDER');
  await untilShown(scene, id, { status: 'complete', outcome: 'consider' });
  expect(canopy.calls.filter((call) => call === 'document')).toHaveLength(4);
});

test('orders once when the answer to the order is lost and a webhook shows its id', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  canopy.next.push({ call: 'request', does: 'lost' });
  const id = await referAda(scene);
  await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
  });
  // Sent again before Canopy has announced anything.
  await good(server.api.post(`/v1/references/${id}/retry`));
  await untilShown(scene, id, {
    automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
  });
  expect(canopy.requests).toHaveLength(1);
  expect(await canopy.event('INVITED')).toBe(200);
  await good(server.api.post(`/v1/references/${id}/retry`));
  await untilShown(scene, id, { automatic_reference: { status: 'invited', last_error: null } });
  expect(canopy.requests).toHaveLength(1);
});

test('orders again when the answer to the order is lost and no webhook comes for 15 minutes', async () => {
  const scene = await sceneForTest();
  const { canopy, clock } = scene;
  canopy.next.push({ call: 'request', does: 'lost' });
  const id = await referAda(scene);
  await untilShown(scene, id, { automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) } });
  expect(canopy.requests).toHaveLength(1);
  clock.moveTo(15 * 60 * 1000);
  await untilShown(scene, id, { automatic_reference: { last_error: null } });
  expect(canopy.requests).toHaveLength(2);
});

test('takes a webhook that comes before the answer to its order', async () => {
  const scene = await sceneForTest();
  const { canopy, server } = scene;
  canopy.next.push({ call: 'request', does: 'lost' });
  let answered = 0;
  canopy.onRequest = (requested) => void canopy.event('INVITED', requested).then((status) => (answered = status));
  const id = await referAda(scene);
  await expect.poll(() => answered).toBe(200);
  await good(server.api.post(`/v1/references/${id}/retry`));
  await untilShown(scene, id, { automatic_reference: { status: 'invited' } });
  expect(canopy.requests).toHaveLength(1);
});

test('keeps its orders and tells their news when it starts again', async () => {
  const scene = await sceneForTest();
  const { canopy, settings } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  const registered = canopy.calls.filter((call) => call === 'register').length;
  await scene.restart();
  expect(statSync(settings.ordersFile).mode & 0o077).toBe(0);
  expect(readFileSync(settings.ordersFile, 'utf8')).not.toContain('ada@example.org');
  expect(canopy.calls.filter((call) => call === 'register')).toHaveLength(registered);
  expect(await canopy.finish('VERIFY')).toBe(200);
  await untilShown(scene, id, { status: 'complete', outcome: 'accept' });
});

test('takes the result of the Rent Passport when Canopy could not send its document', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.section('CREDIT_CHECK', 'DONE', 'CONSIDER');
  await canopy.event('SENDING_COMPLETED_PASSPORT_FAILED');
  await untilShown(scene, id, { status: 'complete', outcome: 'consider' });
  expect(canopy.calls).toContain('passport');
});

test('waits for the guarantor when the document of the renter comes first', async () => {
  const scene = await sceneForTest();
  const { canopy } = scene;
  const id = await referAda(scene);
  await expect.poll(() => canopy.requests.length).toBe(1);
  await canopy.finish('CONSIDER', { isGuarantorNeeded: true, waitingForGuarantor: true, guarantorCompleteRP: false });
  await untilShown(scene, id, { outcome: null, automatic_reference: { status: 'awaiting_referee' } });
  await canopy.finish('VERIFY', { isGuarantorNeeded: true, waitingForGuarantor: false, guarantorCompleteRP: true });
  await untilShown(scene, id, { status: 'complete', outcome: 'accept' });
});

test('refuses live orders until the account has credentials, and is then ready, when the translator is its service', async () => {
  const canopy = await canopyForTest();
  const settings = await settingsFor(canopy);
  const translator = await translatorForTest(settings, { canopy });
  onTestFinished(() => translator.stop());
  const { api } = await serverForTest({
    settings: { TENURE_MODE: 'live', TENURE_PROVIDER_A_URL: translator.url },
    works: true,
  });
  const stateNow = async (): Promise<string> => (await good(api.get('/v1/referencing_providers'))).body.data[0].status;
  const body = { application: 'app_1', automatic_reference: { provider: 'provider_a' } };
  expect(await stateNow()).toBe('credentials_missing');
  expect((await api.post('/v1/references', body)).status).toBe(400);
  const own = { provider_a: { api_key: token, signing_secret: 'the-signing-secret-of-the-account' } };
  await good(api.post('/v1/account', { provider_credentials: own }));
  expect(await stateNow()).toBe('ready');
  const { body: ada } = await good(api.post('/v1/customers', { name: 'Ada', email: 'ada@example.org' }));
  await good(api.post('/v1/references', { ...body, customer: ada.id }));
  await expect.poll(() => canopy.requests.length).toBe(1);
});
