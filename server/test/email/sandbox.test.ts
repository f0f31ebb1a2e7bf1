import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keptMax, purgeEmails } from '../../src/maintenance/purge-emails.ts';
import { goodPassword, tokenOf, signedIn, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { formOf } from '../support/files.ts';
import { apiClient, good, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';

const path = '/v1/test_helpers/emails';

let server: TestServer;
let owner: SignedIn;

beforeAll(async () => {
  server = await startTestServer();
  owner = await signedIn(server, 'owner');
});
afterAll(() => server.stop());

/** Makes a link to a new file, and sends it. */
async function sendFile(api: Api, to: string, body: object = {}) {
  const { body: file } = await good(api.post('/v1/files', formOf()));
  return (await good(api.post(`/v1/files/${file.id}/links`, { recipient_email: to, ...body }))).body;
}

async function keyWith(permissions: string[]): Promise<Api> {
  const { body } = await good(server.api.post('/v1/api_keys', { type: 'restricted', permissions }));
  return apiClient(server.url, body.secret);
}

async function addressesFor(api: Pick<Api, 'get'>): Promise<string[]> {
  const { body } = await good(api.get(`${path}?limit=50`));
  expect(body.count).toBe(body.data.length);
  return body.data.map(({ to }: { to: string }) => to);
}

/** The addresses without that of the first test. */
async function othersFor(api: Pick<Api, 'get'>): Promise<string[]> {
  return (await addressesFor(api)).filter((to) => !to.startsWith('okafor'));
}

describe('the e-mails of a sandbox', () => {
  test('are kept with their texts and links, and show it in their records, when they would be sent', async () => {
    await good(server.api.post('/v1/account', { name: 'Northern <Homes>' }));
    const link = await sendFile(server.api, 'okafor@example.com', { recipient: 'Mr Okafor', expires_in: 86_400 });
    expect(link).toMatchObject({ recipient_email: 'okafor@example.com', email_status: 'kept', email_failure: null });
    const { body } = await good(server.api.get(`${path}?to=OKAFOR@example.com`));
    expect(body).toMatchObject({ object: 'list', count: 1, has_more: false });
    const [email] = body.data;
    expect(email).toMatchObject({
      object: 'email',
      kind: 'file_link',
      about: link.id,
      to: 'okafor@example.com',
      from: 'Northern <Homes>',
      reply_to: null,
      subject: 'Northern <Homes> has sent you a document',
      link: link.url,
    });
    expect(email.text).toContain('The link works for 24 hours.');
    expect(email.text).toContain(`Open the document:\n${link.url}`);
    expect(email.html).toContain('Northern &lt;Homes&gt; has sent you a document');
    const shown = await good(server.api.get(`/v1/file_links/${link.id}`));
    expect(shown.text).not.toContain(tokenOf(link.url));
  });

  test('are listed in pages, the newest first, when there are several', async () => {
    const fresh = await serverForTest();
    for (let index = 0; index < 5; index++) await sendFile(fresh.api, `person${index}@example.com`);
    const first = (await good(fresh.api.get(`${path}?limit=2`))).body;
    expect(first).toMatchObject({ count: 5, has_more: true });
    const second = (await good(fresh.api.get(`${path}?limit=2&starting_after=${first.data[1].id}`))).body;
    const last = (await good(fresh.api.get(`${path}?limit=2&offset=4`))).body;
    const pages = [first, second, last].map(({ data }) => data.map(({ to }: { to: string }) => to[6]));
    expect(pages).toEqual([['4', '3'], ['2', '1'], ['0']]);
    expect((await good(fresh.api.get(`${path}?to=person3@example.com`))).body.count).toBe(1);
    expect((await good(fresh.api.get(`${path}?to=stranger@example.com`))).body).toMatchObject({ count: 0, data: [] });
    expect((await fresh.api.get(`${path}?starting_after=cus_1`)).body.error.code).toBe('parameter_invalid');
  });

  test('are hidden from a principal that their links would give more rights', async () => {
    await sendFile(server.api, 'file@example.com');
    const invite = (email: string, role: string) => good(owner.browser.post('/v1/invitations', { email, role }));
    await invite('viewer@example.com', 'viewer');
    await invite('boss@example.com', 'owner');
    expect(await othersFor(owner.browser)).toEqual(['boss@example.com', 'viewer@example.com', 'file@example.com']);
    expect(await othersFor((await signedIn(server, 'admin')).browser)).toEqual([
      'viewer@example.com',
      'file@example.com',
    ]);
    for (const role of ['developer', 'operator'] as const)
      expect(await othersFor((await signedIn(server, role)).browser)).toEqual(['file@example.com']);
    expect(await othersFor(server.api)).toEqual(['file@example.com']);
    expect(await othersFor(await keyWith(['file_contents.read']))).toEqual(['file@example.com']);
    const others = [(await signedIn(server, 'viewer')).browser, await keyWith(['files.write', 'references.write'])];
    for (const other of others) expect((await other.get(path)).body.error.code).toBe('permission_denied');
  });

  test('belong to one account when another account asks', async () => {
    const { body: connected } = await good(server.api.post('/v1/accounts', { name: 'York Lets' }));
    const context = { 'service-context': connected.id };
    const { body: file } = await good(server.api.post('/v1/files', formOf(), context));
    await good(server.api.post(`/v1/files/${file.id}/links`, { recipient_email: 'york@example.com' }, context));
    const { body } = await good(server.api.get(path, context));
    expect(body).toMatchObject({
      count: 1,
      data: [{ to: 'york@example.com', from: 'York Lets', account: connected.id }],
    });
    expect(await addressesFor(server.api)).not.toContain('york@example.com');
  });

  test('are erased when the file of their link is erased with its person', async () => {
    const { body: customer } = await good(server.api.post('/v1/customers', { name: 'Ada Lovelace' }));
    const { body: file } = await good(server.api.post('/v1/files', formOf()));
    const sent = { application: 'app_1', customer: customer.id };
    const { body: reference } = await good(server.api.post('/v1/references', sent));
    await good(server.api.post(`/v1/references/${reference.id}`, { reference_pdf: file.id }));
    await good(server.api.post(`/v1/files/${file.id}/links`, { recipient_email: 'erased@example.com' }));
    expect(await addressesFor(server.api)).toContain('erased@example.com');
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    expect(await addressesFor(server.api)).not.toContain('erased@example.com');
    const { rows } = await server.context.database.readers.query(
      `select id from emails where recipient = 'erased@example.com'`,
    );
    expect(rows).toEqual([]);
  });

  test('send one e-mail when a request is repeated with the same idempotency key', async () => {
    const { body: file } = await good(server.api.post('/v1/files', formOf()));
    const send = () =>
      server.api.post(
        `/v1/files/${file.id}/links`,
        { recipient_email: 'once@example.com' },
        { 'idempotency-key': 'once' },
      );
    const first = await good(send());
    expect((await good(send())).body).toEqual(first.body);
    expect((await good(server.api.get(`${path}?to=once@example.com`))).body.count).toBe(1);
  });

  test('hide the links of the team when an owner has not confirmed its identity of late', async () => {
    const clock = new TestClock();
    const { browser } = await signedIn(await serverForTest({ overrides: { clock } }), 'owner');
    await good(browser.post('/v1/invitations', { email: 'viewer@example.com', role: 'viewer' }));
    expect(await addressesFor(browser)).toEqual(['viewer@example.com']);
    clock.advanceSeconds(15 * 60);
    expect(await addressesFor(browser)).toEqual([]);
    await good(browser.post('/auth/confirm', { password: goodPassword }));
    expect(await addressesFor(browser)).toEqual(['viewer@example.com']);
  });

  test('show the link to a new password when an owner makes one for a member', async () => {
    const member = await signedIn(server, 'developer');
    const { body } = await good(owner.browser.post('/auth/users/reset_link', { user: member.id }));
    expect(body.email_status).toBe('kept');
    const { body: kept } = await good(owner.browser.get(`${path}?to=${encodeURIComponent(member.email)}`));
    expect(kept.data).toMatchObject([{ kind: 'password_link', to: member.email, link: body.url }]);
    expect(await addressesFor(server.api)).not.toContain(member.email);
  });

  test('go when they are too old or too many', async () => {
    const fresh = await serverForTest();
    await sendFile(fresh.api, 'first@example.com');
    const { readers } = fresh.context.database;
    const nowSeconds = Math.floor(Date.now() / 1000);
    await purgeEmails(readers, nowSeconds + 29 * 86_400);
    expect((await good(fresh.api.get(path))).body.count).toBe(1);
    await readers.query(`
      insert into emails
      select (jsonb_populate_record(email, jsonb_build_object('id', 'eml_1' || lpad(number::text, 21, '0')))).*
      from emails email, generate_series(1, ${keptMax + 5}) as number`);
    while (await purgeEmails(readers, nowSeconds)) continue;
    expect((await good(fresh.api.get(path))).body.count).toBe(keptMax);
    // The largest go before there are too many of them.
    await readers.query(
      `update emails set content = decode(repeat('00', 1024 * 1024), 'hex') where id > 'eml_1000000000000000000990'`,
    );
    while (await purgeEmails(readers, nowSeconds)) continue;
    expect((await readers.query('select id from emails')).rows.length).toBeLessThanOrEqual(8);
    await purgeEmails(readers, nowSeconds + 31 * 86_400);
    expect((await readers.query('select id from emails')).rows).toEqual([]);
  });
});

test('refuses an address for a link when a live server has no mail server', async () => {
  const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
  const { body: file } = await good(live.api.post('/v1/files', formOf()));
  const refused = await live.api.post(`/v1/files/${file.id}/links`, { recipient_email: 'okafor@example.com' });
  expect(refused.body.error).toMatchObject({ code: 'parameter_invalid', param: 'recipient_email' });
  await good(live.api.post(`/v1/files/${file.id}/links`, {}));
  expect((await live.api.get(path)).status).toBe(404);
});
