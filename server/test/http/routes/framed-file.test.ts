import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedIn } from '../../support/browser.ts';
import { formOf, pdfOf } from '../../support/files.ts';
import { jpegOf } from '../../support/pictures.ts';
import { good, startTestServer, type TestServer } from '../../support/server.ts';

/* A frame of the dashboard shows a file. It sends the cookie, and no header of its own. */

const ofFrame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin', 'service-client': '' };

let server: TestServer;
let path: string;

beforeAll(async () => {
  server = await startTestServer();
  path = `/dashboard/files/${await uploaded()}`;
});
afterAll(() => server.stop());

async function uploaded(headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}`, ...headers },
    body: formOf(),
  });
  return ((await response.json()) as { id: string }).id;
}

test.each(['owner', 'operator'] as const)(
  'shows a file in a frame of our own page when the person is an %s',
  async (role) => {
    const { browser } = await signedIn(server, role);
    const answer = await browser.get(path, ofFrame);
    expect([answer.status, answer.text]).toEqual([200, pdfOf('Report').toString('utf8')]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline',
      'cache-control': 'private, no-store',
      'content-security-policy': "frame-ancestors 'self'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  },
);

test('shows a picture of our own page, and no other, when a browser asks for a picture', async () => {
  const form = formOf({}, await jpegOf(), 'passport.jpg');
  const { id } = (await good(server.api.post('/v1/files', form))).body;
  const { browser } = await signedIn(server, 'owner');
  const ofPicture = { ...ofFrame, 'sec-fetch-dest': 'image' };
  const answer = await browser.get(`/dashboard/files/${id}`, ofPicture);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-disposition': 'inline',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  const foreign = await browser.get(`/dashboard/files/${id}`, { ...ofPicture, 'sec-fetch-site': 'cross-site' });
  expect([foreign.status, foreign.headers.get('content-type')]).toEqual([403, 'text/plain; charset=utf-8']);
});

test.each([
  ['another site frames it', { 'sec-fetch-site': 'cross-site' }],
  ['another port of the host frames it', { 'sec-fetch-site': 'same-site' }],
  ['the browser does not say which page frames it', { 'sec-fetch-site': '' }],
])('refuses the file when %s', async (_, headers) => {
  const { browser } = await signedIn(server, 'owner');
  const answer = await browser.get(path, { ...ofFrame, ...headers });
  expect(answer.status).toBe(403);
  expect(answer.text).not.toContain('%PDF');
});

test.each([
  ['there is no session', 401, null, ''],
  ['the role is viewer', 403, 'viewer', ''],
  ['the file does not exist', 404, 'owner', 'x'],
] as const)('says why in a text when %s', async (_, status, role, suffix) => {
  const browser = role === null ? null : (await signedIn(server, role)).browser;
  const answer = await (browser
    ? browser.get(path + suffix, ofFrame)
    : fetch(server.url + path, { headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' } }));
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
});

test('shows files of connected accounts only when the query names a connected account', async () => {
  const { id: account } = (await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }))).body;
  const connected = `/dashboard/files/${await uploaded({ 'service-context': account })}`;
  const { browser } = await signedIn(server, 'owner');
  expect((await browser.get(connected, ofFrame)).status).toBe(404);
  expect((await browser.get(`${connected}?account=${account}`, ofFrame)).status).toBe(200);
  expect((await browser.get(`${path}?account=${account}`, ofFrame)).status).toBe(404);
  expect((await browser.get(`${path}?account=acct_none`, ofFrame)).status).toBe(403);
});

test('sends the page of the file when a person opens the address', async () => {
  const answer = await (await signedIn(server, 'owner')).browser.get(path, { 'sec-fetch-dest': 'document' });
  expect(answer.headers.get('content-type')).toContain('text/html');
});
