import { describe, expect, test, vi } from 'vitest';
import { pausesSeconds } from '../../src/email/task.ts';
import { Browser, goodPassword, tokenOf } from '../support/browser.ts';
import { formOf } from '../support/files.ts';
import { Scrape } from '../support/prometheus.ts';
import { mailServerForTest } from '../support/mail-server.ts';
import { good, serverForTest, type Api } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { agencyForTest, from, mailSettings, memberOf, quick, untilShown, type Agency } from './agency.ts';
import { waitMs } from '../support/wait.ts';

const soon = { timeout: waitMs, interval: 100 };

/** Invites a person. Returns the invitation. */
async function invite({ owner }: Agency, email = 'grace@example.com', headers: Record<string, string> = {}) {
  return (await good(owner.browser.post('/v1/invitations', { email, role: 'viewer' }, headers))).body;
}

/** Sends a person a link to the portal by e-mail. */
async function openPortal(api: Api, address: string, headers: Record<string, string> = {}): Promise<void> {
  const person = await good(api.post('/v1/customers', { name: 'Ada', email: address }, headers));
  await good(api.post('/v1/portal_sessions', { customer: person.body.id, send_email: true }, headers));
}

function shown({ owner }: Agency, { id }: { id: string }, status: string) {
  return untilShown(() => owner.browser.get(`/v1/invitations/${id}`), status);
}

/** Counts the attempts of this result. */
async function attempts({ server }: Agency, result: string): Promise<number> {
  const scrape = new Scrape(await (await fetch(`${server.url}/metrics`)).text());
  return scrape.sum('tenure_email_attempt_duration_seconds_count', { result });
}

describe('an invitation', () => {
  test('arrives by e-mail with a link that works when a mail server is set', async () => {
    const agency = await agencyForTest();
    const { server, mail, owner } = agency;
    await good(owner.browser.post('/v1/account', { name: 'Northern Homes', letterhead: letterhead }));
    const made = await invite(agency);
    expect(made).toMatchObject({ email_status: 'queued', email_failure: null });
    const [received] = await mail.has(1);
    expect(received).toMatchObject({ from, to: 'grace@example.com' });
    expect(received!.headers).toEqual(
      expect.arrayContaining([
        `From: Northern Homes <${from}>`,
        'To: grace@example.com',
        'Reply-To: office@northern.example',
        'Subject: Join the team of Northern Homes',
        'Auto-Submitted: auto-generated',
        expect.stringMatching(/^Message-ID: <eml_[0-9A-Za-z]{22}@127\.0\.0\.1>$/),
      ]),
    );
    for (const part of [received!.text, received!.html]) {
      expect(part).toContain(made.url);
      expect(part).toContain(
        `${owner.email} invites you to the team of Northern Homes in Tenure. Your role is viewer.`,
      );
    }
    await shown(agency, made, 'sent');
    const used = new Browser(server).post('/auth/links/use', { token: tokenOf(made.url), password: goodPassword });
    expect((await good(used)).body).toBeDefined();
    expect(await attempts(agency, 'sent')).toBe(1);
  });

  test('leaves no secret behind when its e-mail has been sent', async () => {
    const agency = await agencyForTest();
    const made = await invite(agency);
    await shown(agency, made, 'sent');
    const { readers } = agency.server.context.database;
    const { rows } = await readers.query('select content, link, sending, status from emails');
    expect(rows).toEqual([{ content: null, link: null, sending: null, status: 'sent' }]);
    const everything = await readers.query<{ text: string }>(`
      select (select coalesce(string_agg(log::text, ''), '') from request_logs log) || (select coalesce(string_agg(event::text, ''), '') from events event) as text`);
    expect(everything.rows[0]!.text).toContain(made.id);
    expect(everything.rows[0]!.text).not.toContain(tokenOf(made.url));
  });

  test('keeps its link encrypted when its e-mail waits', async () => {
    const agency = await agencyForTest({ works: false });
    const made = await invite(agency);
    const { rows } = await agency.server.context.database.readers.query<{ text: string }>(
      `select row(content, link, sending, recipient)::text || encode(content, 'escape') || encode(link, 'escape') as text from emails`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.text).not.toContain(tokenOf(made.url));
    expect(rows[0]!.text).not.toContain('invites you');
  });

  test('sends one e-mail when its request is repeated with the same idempotency key', async () => {
    const agency = await agencyForTest();
    const headers = { 'idempotency-key': 'invite-grace' };
    const made = await invite(agency, 'grace@example.com', headers);
    await shown(agency, made, 'sent');
    expect(await invite(agency, 'grace@example.com', headers)).toEqual(made);
    const other = await invite(agency, 'alan@example.com');
    await shown(agency, other, 'sent');
    expect(agency.mail.mails.map(({ to }) => to)).toEqual(['grace@example.com', 'alan@example.com']);
  });

  test('sends no e-mail when its request is refused', async () => {
    const agency = await agencyForTest();
    const viewer = await memberOf(agency.server, 'viewer');
    const refused = await viewer.browser.post('/v1/invitations', { email: 'grace@example.com', role: 'viewer' });
    expect(refused.status).toBe(403);
    const made = await invite(agency, 'alan@example.com');
    await shown(agency, made, 'sent');
    expect(agency.mail.mails).toHaveLength(1);
  });

  test('shows no e-mail when no mail server is set', async () => {
    const server = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const owner = await memberOf(server, 'owner');
    const { body } = await good(owner.browser.post('/v1/invitations', { email: 'grace@example.com', role: 'viewer' }));
    expect(body).toMatchObject({ email_status: null, email_failure: null, url: expect.stringContaining('#') });
    const { rows } = await server.context.database.readers.query('select id from emails');
    expect(rows).toEqual([]);
  });

  test('sends no e-mail when it was revoked before', async () => {
    const agency = await agencyForTest();
    await agency.mail.stop();
    const made = await invite(agency);
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
    await good(agency.owner.browser.delete(`/v1/invitations/${made.id}`));
    // An attempt that has begun before could otherwise reach the mail server.
    expect((await shown(agency, made, 'failed')).email_failure).toBe(
      'The link had ended before the e-mail could be sent.',
    );
    await agency.mail.start();
    expect(agency.mail.mails).toEqual([]);
  });
});

describe('a link to the portal', () => {
  test('sends no e-mail when the address was changed before', async () => {
    const agency = await agencyForTest();
    await agency.mail.stop();
    const { api } = agency.server;
    const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada', email: 'wrong@example.com' }));
    const { body: session } = await good(
      api.post('/v1/portal_sessions', { customer: customer.id, return_url: null, send_email: true }),
    );
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
    await good(api.post(`/v1/customers/${customer.id}`, { email: 'ada@example.com' }));
    // An attempt that has begun before could otherwise reach the mail server.
    const ended = await untilShown(() => api.get(`/v1/portal_sessions/${session.id}`), 'failed');
    expect(ended).toMatchObject({
      status: 'ended',
      email_failure: 'The link had ended before the e-mail could be sent.',
    });
    await agency.mail.start();
    expect(agency.mail.mails).toEqual([]);
  });
});

/** Starts a workflow that writes to a new customer. Waits until an attempt has failed. */
async function waitingForTest() {
  // So many that they outlast each wait of the test.
  const pauses = Array<number>(1_000).fill(0.1);
  const agency = await agencyForTest({ overrides: { emailLimits: { ...quick, pauses } } });
  await agency.mail.stop();
  const { api } = agency.server;
  const { body: made } = await good(
    api.post('/v1/workflows', {
      name: 'Welcome',
      trigger: { type: 'customer.created' },
      steps: [
        {
          id: 'write',
          action: 'email',
          to: '{{event.data.object.id}}',
          subject: 'Hello',
          text: 'Your rent is £950.',
        },
      ],
      permissions: ['customers.read'],
    }),
  );
  await good(api.post(`/v1/workflows/${made.id}/activate`));
  const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada', email: 'wrong@example.com' }));
  await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
  const change = (email: string | null) => good(api.post(`/v1/customers/${customer.id}`, { email }));
  /** Waits until an attempt that begins from now on has failed. An attempt that has begun before could reach the mail server later. */
  const triedAgain = async () => {
    const before = await attempts(agency, 'retried');
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(before + 1), soon);
  };
  const stored = async () =>
    (await agency.server.context.database.readers.query('select recipient, status, failure from emails')).rows;
  return { ...agency, change, triedAgain, stored };
}

describe('an e-mail of a workflow', () => {
  test('goes to the new address when the customer got it before', async () => {
    const { mail, change, triedAgain, stored } = await waitingForTest();
    await change('ada@example.com');
    await triedAgain();
    await mail.start();
    const [received] = await mail.has(1);
    expect(received).toMatchObject({ to: 'ada@example.com' });
    await vi.waitFor(
      async () => expect(await stored()).toEqual([{ recipient: 'ada@example.com', status: 'sent', failure: null }]),
      soon,
    );
  });

  test('is not sent when the customer has no address any more', async () => {
    const { mail, change, stored } = await waitingForTest();
    await change(null);
    const failure = 'The customer had no e-mail address any more when the e-mail could be sent.';
    await vi.waitFor(
      async () => expect(await stored()).toEqual([{ recipient: 'wrong@example.com', status: 'failed', failure }]),
      soon,
    );
    await mail.start();
    expect(mail.mails).toEqual([]);
  });
});

describe('a link to a file', () => {
  test('sends no e-mail when its file was deleted before', async () => {
    const agency = await agencyForTest();
    await agency.mail.stop();
    const { api } = agency.server;
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const { body: link } = await good(
      api.post(`/v1/files/${file.id}/links`, { recipient_email: 'okafor@example.com' }),
    );
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
    await good(api.delete(`/v1/files/${file.id}`));
    // An attempt that has begun before could otherwise reach the mail server.
    const ended = await untilShown(() => api.get(`/v1/file_links/${link.id}`), 'failed');
    expect(ended.email_failure).toBe('The link had ended before the e-mail could be sent.');
    await agency.mail.start();
    expect(agency.mail.mails).toEqual([]);
  });

  test('shows that its e-mail has failed when the person is erased before', async () => {
    const agency = await agencyForTest();
    await agency.mail.stop();
    const { api } = agency.server;
    const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada Lovelace' }));
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const sent = { application: 'app_1', customer: customer.id };
    const { body: reference } = await good(api.post('/v1/references', sent));
    await good(api.post(`/v1/references/${reference.id}`, { reference_pdf: file.id }));
    const { body: link } = await good(
      api.post(`/v1/files/${file.id}/links`, { recipient_email: 'okafor@example.com' }),
    );
    expect(link.email_status).toBe('queued');
    await good(api.delete(`/v1/customers/${customer.id}`));
    const { body } = await good(api.get(`/v1/file_links/${link.id}`));
    expect(body).toMatchObject({
      status: 'revoked',
      recipient_email: null,
      email_status: 'failed',
    });
  });
});

describe('a mail server', () => {
  test('gets the e-mail when it was down and comes back', async () => {
    const agency = await agencyForTest();
    await agency.mail.stop();
    const made = await invite(agency);
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(1), soon);
    expect((await good(agency.owner.browser.get(`/v1/invitations/${made.id}`))).body.email_status).toBe('queued');
    await agency.mail.start();
    await shown(agency, made, 'sent');
    expect(agency.mail.mails).toHaveLength(1);
  });

  test.each([
    { MAIL: '451 4.3.0 Later' },
    { RCPT: '450 4.2.1 Greylisted' },
    { DATA: '421 4.3.2 Closing' },
    { message: '452 4.3.1 Full' },
    { message: 'break' },
    { greeting: '554 5.3.2 No service' },
  ])('gets the e-mail again when it refused it for now: %j', async (replies) => {
    const agency = await agencyForTest();
    agency.mail.replies = replies;
    const made = await invite(agency);
    await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
    agency.mail.replies = {};
    await shown(agency, made, 'sent');
    expect(await attempts(agency, 'failed')).toBe(0);
  });

  test.each([
    { MAIL: '550 5.7.1 Not from you' },
    { RCPT: '550 5.1.1 No such user' },
    { DATA: '554 5.6.0 No' },
    { message: '552 5.2.3 Too large' },
  ])('gets no second attempt when it refused the e-mail for good: %j', async (replies) => {
    const agency = await agencyForTest();
    agency.mail.replies = replies;
    const made = await invite(agency);
    const { email_failure: failure } = await shown(agency, made, 'failed');
    expect(failure).toBe(`The mail server has answered: ${Object.values(replies)[0]}`);
    expect(await attempts(agency, 'failed')).toBe(1);
    expect(await attempts(agency, 'retried')).toBe(0);
    expect(agency.mail.connections).toBe(1);
    const events = await good(agency.owner.browser.get('/v1/events?type=invitation.updated'));
    expect(events.body.data[0].data).toMatchObject({
      object: { email_status: 'failed', email_failure: failure },
      previous_attributes: { email_status: 'queued', email_failure: null },
    });
  });

  test('is given up when it is away for all attempts', async () => {
    const agency = await agencyForTest({ overrides: { emailLimits: { pauses: [0.05, 0.05] } } });
    await agency.mail.stop();
    const made = await invite(agency);
    expect((await shown(agency, made, 'failed')).email_failure).toBe('The mail server could not be reached.');
    expect(await attempts(agency, 'retried')).toBe(2);
    expect(pausesSeconds.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(2.5 * 24 * 3600);
  });

  test('has three connections for an account, and delays no request, when it hangs', async () => {
    const agency = await agencyForTest({
      overrides: { emailLimits: { timeouts: { connectMs: waitMs, silenceMs: waitMs, wholeMs: waitMs } } },
    });
    const { mail, server } = agency;
    mail.replies = { message: 'hang' };
    for (let index = 0; index < 12; index++) await invite(agency, `person${index}@example.com`);
    // The queue comes to the e-mail of another account after it has passed over all others.
    const other = await addAccount(server);
    await openPortal(other.api, 'other@example.com');
    const recipients = (): string[] => mail.refused.map(({ to }) => to);
    await vi.waitFor(() => expect(recipients()).toContain('other@example.com'), soon);
    await vi.waitFor(() => expect(recipients()).toHaveLength(3 + 1), soon);
    expect(mail.openMax).toBe(3 + 1);
    // The hanging attempts end, and the others follow.
    await mail.stop();
    const { readers } = server.context.database;
    await vi.waitFor(async () => {
      const { rows } = await readers.query<{ tried: boolean }>(
        `select (sending::jsonb ->> 'failures')::integer > 0 as tried from emails`,
      );
      expect(rows.filter(({ tried }) => tried)).toHaveLength(12 + 1);
    }, soon);
  });

  test('gets the e-mail of another account when many accounts of a tree have e-mails that hang', async () => {
    const minuteMs = 60_000;
    const agency = await agencyForTest({
      overrides: { emailLimits: { timeouts: { connectMs: minuteMs, silenceMs: minuteMs, wholeMs: minuteMs } } },
    });
    const { server, mail } = agency;
    mail.replies = { message: 'hang' };
    for (let index = 0; index < 6; index++) {
      const { body: connected } = await good(server.api.post('/v1/accounts', { name: `Branch ${index}` }));
      await openPortal(server.api, `tree${index}@example.com`, { 'service-context': connected.id });
    }
    const recipients = (): string[] => mail.refused.map(({ to }) => to);
    await vi.waitFor(() => expect(recipients().length).toBeGreaterThanOrEqual(3), soon);
    const other = await addAccount(server);
    await openPortal(other.api, 'other@example.com');
    await vi.waitFor(() => expect(recipients()).toContain('other@example.com'), soon);
    expect(recipients()).toHaveLength(4);
    // The hanging attempts end here.
    await mail.stop();
  });

  test.each(['greeting', 'EHLO', 'MAIL', 'DATA', 'message'] as const)(
    'gets the e-mail again when it hung at its answer to %s',
    async (step) => {
      const agency = await agencyForTest({
        overrides: {
          emailLimits: {
            // A busy machine may fail more than once before the server answers again.
            pauses: Array<number>(1_000).fill(0.05),
            timeouts: { connectMs: 300, silenceMs: 300, wholeMs: 500 },
          },
        },
      });
      agency.mail.replies = { [step]: 'hang' };
      const made = await invite(agency);
      await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
      agency.mail.replies = {};
      const { email_status: status } = await untilEnded(agency, made);
      expect(status).toBe('sent');
      await vi.waitFor(() => expect(agency.mail.open).toBe(0), soon);
    },
  );

  test('gets an e-mail with the same Message-ID when its first acceptance was lost', async () => {
    const agency = await agencyForTest();
    const ids: string[] = [];
    agency.mail.onMessage = ({ headers }) => {
      ids.push(headers.find((line) => line.startsWith('Message-ID'))!);
      agency.mail.replies = ids.length === 1 ? { message: 'break' } : {};
    };
    const made = await invite(agency);
    await shown(agency, made, 'sent');
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('gets one e-mail for each cause when two processes send', async () => {
    const agency = await agencyForTest();
    const second = await serverForTest({
      connection: agency.server.connection,
      secretKey: agency.server.secretKey,
      settings: mailSettings(agency.mail),
      works: true,
    });
    const owner = { ...agency.owner, browser: agency.owner.browser.copy(second) };
    const made: { id: string; email: string }[] = [];
    for (let index = 0; index < 10; index++) {
      const by = index % 2 === 0 ? agency : { ...agency, owner };
      made.push(await invite(by, `person${index}@example.com`));
    }
    for (const invitation of made) await shown(agency, invitation, 'sent');
    expect(agency.mail.mails.map(({ to }) => to).toSorted()).toEqual(made.map(({ email }) => email).toSorted());
  });
});

/** Waits until the e-mail of an invitation is no longer queued. */
async function untilEnded({ owner }: Agency, { id }: { id: string }) {
  return vi.waitFor(async () => {
    const { body } = await good(owner.browser.get(`/v1/invitations/${id}`));
    expect(body.email_status).not.toBe('queued');
    return body;
  }, soon);
}

test('keeps headers and HTML intact when names try to inject', async () => {
  const agency = await agencyForTest();
  const name = 'Evil"><script>alert(1)</script>, <a@evil.example>; =?utf-8?Q?x?= & Söhne 株式会社';
  await good(agency.owner.browser.post('/v1/account', { name }));
  // Older rows may have what requests cannot send any more.
  await agency.server.context.database.readers.query(`update accounts set name = $1`, [
    `${name}\r\nBcc: spy@evil.example\r\n\r\nHello\u202e`,
  ]);
  const made = await invite(agency);
  const [received] = await agency.mail.has(1);
  const names = received!.headers.map((line) => line.split(':')[0]!.toLowerCase());
  expect(names.filter((header) => ['bcc', 'cc'].includes(header))).toEqual([]);
  expect(names.filter((header) => ['from', 'to', 'subject'].includes(header)).toSorted()).toEqual([
    'from',
    'subject',
    'to',
  ]);
  const sender = received!.headers.find((line) => line.startsWith('From:'))!;
  expect(sender.match(/<[^>]*>/g)).toEqual([`<${from}>`]);
  expect(sender.replace(/"(\\.|[^"])*"/g, '').match(/@/g)).toHaveLength(1);
  expect(received!.html).not.toMatch(/<script|\u202e/);
  expect(received!.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(received!.html.match(/href="([^"]*)"/g)).toEqual([`href="${made.url}"`]);
  expect(received!.text).toContain('Söhne 株式会社');
  expect(received!.text).not.toMatch(/^Bcc:/m);
});

test('signs in to the mail server, and logs no password, when the settings have one', async () => {
  const mail = await mailServerForTest();
  const lines: string[] = [];
  const agency = await agencyForTest({
    mail,
    settings: { TENURE_SMTP_URL: `smtp://user%40x:p%23ss-word@127.0.0.1:${mail.port}` },
  });
  agency.server.context.log.warn = (...parts: unknown[]) => void lines.push(JSON.stringify(parts));
  mail.replies = { AUTH: '535 5.7.8 Wrong password p#ss-word' };
  const made = await invite(agency);
  await vi.waitFor(async () => expect(await attempts(agency, 'retried')).toBeGreaterThan(0), soon);
  await vi.waitFor(() => expect(lines).not.toEqual([]), soon);
  mail.replies = {};
  await shown(agency, made, 'sent');
  expect(mail.signIns.at(-1)).toBe('user@x:p#ss-word');
  expect(lines.join('')).not.toMatch(/ss-word|grace|#/);
  expect(lines[0]).toContain('"code":"535"');
});

const letterhead = {
  name: 'Northern Homes Ltd',
  address: { line1: '1 Stonegate', city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
  email: 'office@northern.example',
};
