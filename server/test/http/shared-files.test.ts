import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Agency, rent, type Made } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { TestClock } from '../support/clock.ts';
import { scriptStrings } from '../support/script-strings.ts';
import { addKey } from '../support/tenants.ts';

let server: TestServer;
let agency: Agency;
const clock = new TestClock();

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  agency = await Agency.on(server);
});
afterAll(() => server.stop());

const report = pdfOf('The report');

async function uploaded(filename = 'report.pdf'): Promise<Made> {
  return (await good(agency.api.post('/v1/files', formOf({}, report, filename)))).body as Made;
}

/** Returns the page of a new link to a file. */
async function opened({ id }: Made): Promise<string> {
  return (await press('/links/open', tokenOf(await linkTo(id)))).text();
}

function linkTo(file: string, body: object = {}): Promise<Made> {
  return agency.move('files', file, 'links', body);
}

function tokenOf({ url }: Made): string {
  return new URL(url).hash.slice(1);
}

/** Presses the button of a page. */
function press(path: '/links/open' | '/links/contents', token: string): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: new URLSearchParams({ token }) });
}

/** A finished check of Ada, whose report is a file. */
async function checked(name = 'Ada Lovelace', outcome = 'consider'): Promise<{ person: Made; file: Made }> {
  const person = await agency.make('customers', { name, email: 'ada@example.com' });
  const { id: unit } = await agency.unit();
  const application = await agency.application({ customers: [person.id], unit, rent });
  const file = await uploaded();
  const { id } = await agency.make('references', { application: application.id, customer: person.id });
  const reason = 'The rent is a third of the income.';
  await good(agency.api.post(`/v1/references/${id}`, { outcome, reason, reference_pdf: file.id }));
  return { person, file };
}

describe('a report about two persons', () => {
  test('shows what was found about the living one when the other one was erased', async () => {
    const { file } = await checked('Ada Lovelace', 'accept');
    const ben = await agency.make('customers', { name: 'Ben Bitdiddle' });
    const { id } = await agency.make('references', { application: 'app_1', customer: ben.id });
    const reason = 'He owes rent.';
    await good(agency.api.post(`/v1/references/${id}`, { outcome: 'high_risk', reason, reference_pdf: file.id }));
    await good(agency.api.delete(`/v1/customers/${ben.id}`));
    const page = await (await press('/links/open', tokenOf(await linkTo(file.id)))).text();
    expect(page).toContain('Accepted');
    expect(page).toContain('Ada Lovelace');
    expect(page).not.toMatch(/High risk|owes rent/);
  });
});

describe('a report that a decision has replaced', () => {
  test('leads to no verdict, and the new report names both when the service is overruled', async () => {
    const person = await agency.make('customers', { name: 'Ada Lovelace' });
    const { id: unit } = await agency.unit();
    const application = await agency.application({ customers: [person.id], unit, rent });
    const order = { application: application.id, customer: person.id, automatic_reference: { provider: 'provider_c' } };
    const { id } = await agency.make('references', order);
    const [first, second] = [await uploaded(`${id}.pdf`), await uploaded(`${id}-2.pdf`)];
    await good(agency.api.post(`/v1/references/${id}`, { outcome: 'consider', reference_pdf: first.id }));
    const reason = 'The new contract is permanent.';
    await good(agency.api.post(`/v1/references/${id}`, { outcome: 'accept', reason, reference_pdf: second.id }));
    const { earlier_reports: earlier } = await agency.get('references', id);
    expect(earlier).toEqual([first.id]);
    const old = await opened(first);
    expect(old).toContain('Check of Ada Lovelace');
    expect(old).toContain('Replaced by a newer report');
    expect(old).toContain('Download the earlier report');
    expect(old).not.toMatch(/Consider|Accepted|ref_/);
    const present = await opened(second);
    expect(present).toContain('Accepted');
    expect(present).toContain(reason);
    expect(present).not.toContain('gave no reason against');
  });
});

describe('POST /v1/files/{id}/links', () => {
  test('shows the address once, with the token behind the #', async () => {
    const { id: file } = await uploaded();
    const link = await linkTo(file, { recipient: 'Mr Okafor, landlord', expires_in: 3_600 });
    expect(link).toMatchObject({ object: 'file_link', file, recipient: 'Mr Okafor, landlord', status: 'active' });
    expect(link).toMatchObject({ opened_at: null, open_count: 0 });
    expect(new URL(link.url)).toMatchObject({ pathname: '/links', search: '' });
    expect(tokenOf(link)).toMatch(/^[0-9A-Za-z]{32}$/);
    const read = await agency.get('file_links', link.id);
    expect(read).toEqual({ ...link, url: undefined });
    const { body: list } = await good(agency.api.get(`/v1/file_links?file=${file}`));
    expect(list.data).toEqual([read]);
    expect(JSON.stringify((await good(agency.api.get('/v1/events?limit=50'))).body)).not.toContain(tokenOf(link));
  });

  test.each([
    ['less than an hour', { expires_in: 3_599 }, 'expires_in'],
    ['more than thirty days', { expires_in: 2_592_001 }, 'expires_in'],
    ['a recipient with two lines', { recipient: 'Mr\nOkafor' }, 'recipient'],
    ['an unknown member', { to: 'x' }, 'to'],
  ])('answers 400 when it gets %s', async (_, body, param) => {
    const { id } = await uploaded();
    const answer = await agency.api.post(`/v1/files/${id}/links`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });

  test('needs the permission to read what the file contains', async () => {
    const { id } = await uploaded();
    const { api } = await addKey(server, agency.accountId, { permissions: ['files.write'] });
    expect((await api.post(`/v1/files/${id}/links`, {})).status).toBe(403);
  });
});

describe('the page of a link', () => {
  test('tells what was found, for which home, and whom to ask when a person presses the button', async () => {
    const address = { line1: '4 Stonegate', city: 'York', postal_code: 'YO1 8AS', country: 'GB' };
    const letterhead = { name: 'Northern Homes', address, phone: '01904 555 010', email: 'lets@example.org' };
    await good(agency.api.post('/v1/account', { letterhead }));
    const { file } = await checked();
    const link = await linkTo(file.id);
    const cover = await fetch(`${server.url}/links`);
    expect(cover.status).toBe(200);
    expect(await cover.text()).not.toContain('Ada');
    expect((await agency.get('file_links', link.id)).open_count).toBe(0);

    const answer = await press('/links/open', tokenOf(link));
    expect(answer.status).toBe(200);
    const page = await answer.text();
    for (const text of [
      'Check of Ada Lovelace',
      'Consider',
      'a third of the income',
      'Flat 2, 12 Coppergate',
      '£950.00 a month',
    ])
      expect(page).toContain(text);
    expect(page).toContain('tel:01904555010');
    expect(page).toContain('mailto:lets@example.org');
    const contents = await press('/links/contents', tokenOf(link));
    expect(contents.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await contents.arrayBuffer()).equals(report)).toBe(true);
    const after = await agency.get('file_links', link.id);
    expect(after.open_count).toBe(1);
    expect(after.opened_at).toBeTypeOf('number');
  });

  test('makes an event without an actor, and a log without the token', async () => {
    const { id: file } = await uploaded();
    const link = await linkTo(file);
    expect((await press('/links/open', tokenOf(link))).status).toBe(200);
    expect(await agency.historyOf(link.id)).toEqual(['file_link.created', 'file_link.updated', 'file_link.opened']);
    const { body } = await good(agency.api.get('/v1/events?type=file_link.opened&limit=1'));
    const [{ request }] = body.data;
    expect(request.actor).toMatchObject({ type: 'system', id: null });
    expect(request).toMatchObject({ from_dashboard: false, customer_portal: false });
    const log = (await good(agency.api.get(`/v1/logs/${request.id}`))).body;
    expect(JSON.stringify(log)).not.toContain(tokenOf(link));
  });

  test('is the same for every link that opens nothing', async () => {
    const { person, file } = await checked();
    const ofErased = await linkTo(file.id);
    const { id: kept } = await uploaded();
    const revoked = await linkTo(kept);
    await agency.move('file_links', revoked.id, 'revoke');
    const { id: removed } = await uploaded();
    const ofRemoved = await linkTo(removed);
    await good(agency.api.delete(`/v1/files/${removed}`));
    const expired = await linkTo(kept, { expires_in: 3_600 });
    clock.advanceSeconds(3_600);
    expect((await agency.get('file_links', expired.id)).status).toBe('expired');
    await good(agency.api.delete(`/v1/customers/${person.id}`));
    const altered = tokenOf(await linkTo(kept)).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const tokens = [ofErased, revoked, ofRemoved, expired].map(tokenOf);
    const pages = new Set<string>();
    for (const token of [...tokens, altered, '', 'x'.repeat(2_000), "' or true --", '\0'])
      for (const path of ['/links/open', '/links/contents'] as const) {
        const answer = await press(path, token);
        expect(answer.status).toBe(404);
        pages.add(await answer.text());
      }
    expect(pages.size).toBe(1);
    for (const { id } of [ofErased, revoked, ofRemoved, expired])
      expect((await agency.get('file_links', id)).open_count).toBe(0);
  });

  test('is revoked, and shows it, when its file is deleted', async () => {
    const { id: file } = await uploaded();
    const open = await linkTo(file);
    const earlier = await linkTo(file);
    const before = await agency.move('file_links', earlier.id, 'revoke');
    await good(agency.api.delete(`/v1/files/${file}`));
    expect((await agency.get('file_links', open.id)).status).toBe('revoked');
    expect(await agency.historyOf(open.id)).toEqual(['file_link.created', 'file_link.updated', 'file_link.revoked']);
    expect(await agency.get('file_links', earlier.id)).toEqual(before);
    expect((await agency.historyOf(earlier.id)).filter((type) => type === 'file_link.revoked')).toHaveLength(1);
  });

  test('is revoked without its recipient when the person of the file is erased', async () => {
    const { person, file } = await checked('Grace Hopper');
    const named = { recipient: 'Grace Zyxwvut', recipient_email: 'grace@Zyxwvut.example' };
    const key = { 'Idempotency-Key': 'link-to-grace' };
    const open = (await good(agency.api.post(`/v1/files/${file.id}/links`, named, key))).body as Made;
    const revoked = await linkTo(file.id, named);
    await agency.move('file_links', revoked.id, 'revoke');
    const removed = await uploaded();
    const { id: reference } = await agency.make('references', { application: 'app_1', customer: person.id });
    await good(agency.api.post(`/v1/references/${reference}`, { reference_pdf: removed.id }));
    const ofRemoved = await linkTo(removed.id, named);
    await good(agency.api.delete(`/v1/files/${removed.id}`));
    const { id: unrelated } = await uploaded();
    const kept = await linkTo(unrelated, named);

    await good(agency.api.delete(`/v1/customers/${person.id}`));
    for (const { id } of [open, revoked, ofRemoved])
      expect(await agency.get('file_links', id)).toMatchObject({
        status: 'revoked',
        recipient: null,
        recipient_email: null,
      });
    expect(await agency.get('file_links', kept.id)).toMatchObject({ status: 'active', ...named });
    expect(await agency.historyOf(open.id)).toEqual(['file_link.created', 'file_link.updated', 'file_link.revoked']);
    for (const { id } of [open, revoked, ofRemoved]) {
      const { body } = await good(agency.api.get(`/v1/events?object_id=${id}`));
      expect(JSON.stringify(body)).not.toContain('Zyxwvut');
    }
    for (const { id } of [file, removed]) {
      const { body } = await good(agency.api.get(`/v1/logs?path=/v1/files/${id}/links`));
      expect(body.count).toBeGreaterThan(0);
      expect(JSON.stringify(body)).not.toContain('Zyxwvut');
    }
    const again = await agency.api.post(`/v1/files/${file.id}/links`, named, key);
    expect(JSON.stringify(again.body)).not.toContain('Zyxwvut');
  });

  test('counts each opening once when many come at once', async () => {
    const { id: file } = await uploaded();
    const link = await linkTo(file);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await press('/links/open', tokenOf(link))).status),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    const openings = statuses.filter((status) => status === 200).length;
    expect(openings).toBeGreaterThan(0);
    expect((await agency.get('file_links', link.id)).open_count).toBe(openings);
  });

  test('shows texts of scripts as texts', async () => {
    for (const text of scriptStrings.filter((each) => each.length <= 200).slice(0, 8)) {
      const name = text.replaceAll(/\s+/g, ' ').trim();
      const { file } = await checked(name, 'accept');
      const page = await (await press('/links/open', tokenOf(await linkTo(file.id)))).text();
      // The page has the markup of its own, and no more.
      expect(
        page.match(
          /<(?!\/?(?:html|head|meta|title|link|body|main|div|p|h1|h2|form|input|button|dl|dt|dd|strong|a)\b|!doctype)/g,
        ),
      ).toBeNull();
      expect(page).not.toMatch(/<\w+[^>]*\son\w+=/);
    }
  });

  test('sends no file and counts no opening when a link is revoked between the page and the download', async () => {
    const { id: file } = await uploaded();
    const link = await linkTo(file);
    expect((await press('/links/open', tokenOf(link))).status).toBe(200);
    await agency.move('file_links', link.id, 'revoke');
    expect((await press('/links/contents', tokenOf(link))).status).toBe(404);
    // A second revocation changes nothing.
    const again = await agency.move('file_links', link.id, 'revoke');
    expect(again.status).toBe('revoked');
    expect((await agency.historyOf(link.id)).filter((type) => type === 'file_link.revoked')).toHaveLength(1);
  });
});
