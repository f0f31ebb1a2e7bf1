import { expect, test } from 'vitest';
import { breakDays } from '../../src/maintenance/daybreak.ts';
import { Agency, dawn, dawnMsMax, expectCode, fiveWeeks, startDay, type Made } from '../letting/agency.ts';
import { TestClock } from '../support/clock.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { unexplainedBy } from '../support/explained-by-events.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { allPermissions } from '../support/permissions.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { occurrencesOf, removeOldWal, walHas } from './traces.ts';

/*
 * What a legal duty needs of an erased person is sealed until the duty ends. The words of these tests occur nowhere else.
 */

/** A clock that begins at noon of the first day, and that a test moves. */
class LetClock extends TestClock {
  readonly #offsetMs = Date.parse(`${startDay}T12:00:00Z`) - Date.now();

  override nowMs(): number {
    return super.nowMs() + this.#offsetMs;
  }

  /** Moves to noon of a day. */
  moveTo(day: string): void {
    this.advanceSeconds((Date.parse(`${day}T12:00:00Z`) - this.nowMs()) / 1000);
  }
}

const person = {
  name: 'Zuleika Brown',
  email: 'zuleika@example.com',
  phone: '07700900123',
  date_of_birth: '1988-07-06',
  addresses: [
    { line1: '9 Numbat Lane', city: 'Hull', postal_code: 'HU1 1AA', country: 'GB', to: '2020-01-01' },
    { line1: '7 Dugong Street', city: 'Leeds', postal_code: 'LS1 4AP', country: 'GB' },
  ],
};
const words = [
  'Zuleika',
  'zuleika@',
  '07700900123',
  '1988-07-06',
  'Numbat',
  'Dugong',
  'passportpages',
  'passport.pdf',
  'jointagreement',
  'agreement.pdf',
  'certificatebytes',
  'deedbytes',
];

/** What a process that has ended seems to do. */
const ended = new Error('The process has ended.');

interface Let {
  customer: string;
  tenancy: string;
  deposit: string;
  evidence: string;
  agreement: string;
  certificate: string;
}

async function upload(agency: Agency, purpose: string, bytes: string, filename: string): Promise<string> {
  const form = formOf({ purpose }, pdfOf(bytes), filename);
  return (await good(agency.api.post('/v1/files', form))).body.id as string;
}

/** A tenancy of one day with evidence, an agreement and a certificate. Nothing is owed or held at its end. */
async function endedLet(
  server: TestServer,
  agency: Agency,
  { unit = {}, others = [] }: { unit?: object; others?: string[] } = {},
): Promise<Let> {
  const evidence = await upload(agency, 'right_to_rent', 'passportpages', 'passport.pdf');
  const agreement = await upload(agency, 'tenancy_agreement', 'jointagreement', 'agreement.pdf');
  const certificate = await upload(agency, 'deposit_certificate', 'certificatebytes', 'certificate.pdf');
  const { id: customer } = await agency.make('customers', {
    ...person,
    right_to_rent: { status: 'time_limited', checked_on: '2026-12-01', expires_on: '2030-01-01', files: [evidence] },
  });
  const building = (await agency.building(unit)).id;
  const { id: tenancy } = await agency.signed((await agency.unit({ building })).id, {
    customers: [customer, ...others],
    start_date: startDay,
    agreement,
  });
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks });
  await agency.payDeposit(deposit, fiveWeeks);
  await agency.move('deposits', deposit, 'protect', {
    scheme: 'other',
    scheme_reference: 'D1',
    protected_on: startDay,
    certificate,
  });
  await dawn(server);
  const line = { type: 'utility', description: 'Water', amount: 7_777 };
  await agency.make('invoices', { tenancy, lines: [line], due_on: startDay, finalize: true });
  await agency.make('payments', { tenancy, amount: 7_777, method: 'bank_transfer' });
  await agency.move('tenancies', tenancy, 'end', { ended_on: startDay, reason: 'surrender' });
  await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
  return { customer, tenancy, deposit, evidence, agreement, certificate };
}

const erase = (agency: Agency, customer: string): Promise<ApiResponse> =>
  good(agency.api.delete(`/v1/customers/${customer}`));

async function holdsOf(agency: Agency, customer: string): Promise<Record<string, Made>> {
  const { data } = (await good(agency.api.get(`/v1/retention_holds?customer=${customer}`))).body;
  return Object.fromEntries((data as Made[]).map((hold) => [hold.kind as string, hold]));
}

const reveal = (agency: Agency, id: string): Promise<Made> =>
  agency.move('retention_holds', id, 'reveal', { reason: 'An inspection asks for it.' });

const download = (agency: Agency, id: string, file: string): Promise<ApiResponse> =>
  agency.api.get(`/v1/retention_holds/${id}/contents?file=${file}`);

async function expectGone(server: TestServer): Promise<void> {
  for (const word of words) expect(await occurrencesOf(server, word), word).toEqual([]);
}

async function letOn(clock = new LetClock()): Promise<{ server: TestServer; agency: Agency }> {
  const server = await serverForTest({ overrides: { clock } });
  return { server, agency: await Agency.on(server) };
}

// All tests share the log. So the words of this file occur in no other one, and this test is the first of the file.
test('leaves nothing of the person in the write-ahead log after a checkpoint', async () => {
  const { server, agency } = await letOn();
  const texts = ['7 Dugong Street', 'Zuleika Brown', 'jointagreement', 'passportpages'];
  // Other tests cause checkpoints, which rename old segments and keep their bytes. That ends before the texts are written.
  await removeOldWal(server, async (checkpoint) => {
    const made = await endedLet(server, agency);
    await erase(agency, made.customer);
    await reveal(agency, (await holdsOf(agency, made.customer)).accounts!.id);
    const { name } = await agency.make('customers', { name: 'Wilma Wombat' });
    expect(await walHas(server, [name])).toEqual([name]);
    await checkpoint();
    expect(await walHas(server, texts)).toEqual([]);
  });
});

test('seals what legal duties need when a person is erased, and leaves the person nowhere else', async () => {
  const { server, agency } = await letOn();
  const made = await endedLet(server, agency);
  const { application } = await agency.applied();
  const deed = await upload(agency, 'other', 'deedbytes', 'deed.pdf');
  const { id: guarantor } = await agency.make('guarantors', { application, customer: made.customer, file: deed });
  for (const word of words) expect(await occurrencesOf(server, word), word).not.toEqual([]);

  const erased = await erase(agency, made.customer);

  await expectGone(server);
  expect(await agency.eventsOf(erased)).toEqual([
    'customer.deleted',
    'retention_hold.created',
    'retention_hold.created',
  ]);
  const { right_to_rent: evidence, accounts } = await holdsOf(agency, made.customer);
  expect(evidence).toMatchObject({ until: '2028-01-04', files: [made.evidence], status: 'held', reveals: 0 });
  expect(accounts).toMatchObject({ until: '2033-03-31', files: [made.agreement, made.certificate] });
  expect(evidence!.basis).toContain('Immigration Act 2014');
  for (const file of [made.evidence, made.agreement, made.certificate, deed])
    expectRefusal(await agency.api.get(`/v1/files/${file}`), refusals.idUnknown);
  expect(await agency.get('tenancies', made.tenancy)).toMatchObject({ agreement: made.agreement });
  expect(await agency.get('guarantors', guarantor)).toMatchObject({ file: deed });
  expect(await unexplainedBy(agency.api.get)).toEqual([]);
});

test('seals evidence for a reference when the right to rent of its erased person names it', async () => {
  const { server, agency } = await letOn();
  const { customer } = await endedLet(server, agency);
  const { id: reference } = await agency.make('references', { application: 'app_1', customer });
  const form = formOf({ purpose: 'right_to_rent', reference }, pdfOf('walruspages'), 'walrus.pdf');
  const { body: passport } = await good(agency.api.post('/v1/files', form));
  const right = { status: 'unlimited', checked_on: '2026-12-01', files: [passport.id] };
  await good(agency.api.post(`/v1/customers/${customer}`, { right_to_rent: right }));

  await erase(agency, customer);

  for (const word of ['walruspages', 'walrus.pdf']) expect(await occurrencesOf(server, word), word).toEqual([]);
  const { right_to_rent: hold } = await holdsOf(agency, customer);
  await reveal(agency, hold!.id);
  expect((await download(agency, hold!.id, passport.id)).text).toContain('walruspages');
  expectRefusal(await agency.api.get(`/v1/files/${passport.id}`), refusals.idUnknown);
});

test('reveals a hold to its caller when a reason is given, and leaves the data in no log, event or key', async () => {
  const { server, agency } = await letOn();
  const made = await endedLet(server, agency);
  await erase(agency, made.customer);
  const { right_to_rent: evidence, accounts } = await holdsOf(agency, made.customer);
  expectCode(await download(agency, accounts!.id, made.agreement), 'status_transition_invalid');
  expectCode(await agency.api.post(`/v1/retention_holds/${accounts!.id}/reveal`), 'parameter_missing');

  const key = { 'idempotency-key': 'reveal once' };
  const reveals = () =>
    agency.api.post(`/v1/retention_holds/${accounts!.id}/reveal`, { reason: 'Auditors ask for it.' }, key);
  const revealed = await good(reveals());
  expect(revealed.body).toMatchObject({
    reveals: 1,
    content: {
      name: 'Zuleika Brown',
      address: { line1: '7 Dugong Street' },
      right_to_rent: null,
      tenancies: [made.tenancy],
      files: [
        { file: made.agreement, filename: 'agreement.pdf' },
        { file: made.certificate, filename: 'certificate.pdf' },
      ],
    },
  });
  expect((await good(reveals())).text).toBe(revealed.text);
  expect((await reveal(agency, evidence!.id)).content).toEqual({
    name: null,
    address: null,
    right_to_rent: { status: 'time_limited', checked_on: '2026-12-01', expires_on: '2030-01-01' },
    tenancies: [made.tenancy],
    files: [expect.objectContaining({ file: made.evidence, filename: 'passport.pdf' })],
  });
  expect((await download(agency, accounts!.id, made.agreement)).text).toContain('jointagreement');
  expect((await download(agency, accounts!.id, made.certificate)).text).toContain('certificatebytes');
  expect((await download(agency, evidence!.id, made.evidence)).text).toContain('passportpages');
  expectCode(await download(agency, evidence!.id, made.agreement), 'status_transition_invalid');

  await expectGone(server);
  expect(await agency.eventsOf(revealed)).toEqual(['retention_hold.updated', 'retention_hold.revealed']);
  const log = (await good(agency.api.get(`/v1/logs/${revealed.headers.get('request-id')}`))).body;
  expect(log.request_body).toContain('Auditors ask for it.');
  expect(JSON.parse(log.response_body)).toMatchObject({ reveals: 1, content: '[redacted]' });
  expect(await agency.get('retention_holds', accounts!.id)).not.toHaveProperty('content');
});

test('shows the files of a hold to no other key, and not after ten minutes', async () => {
  const clock = new LetClock();
  const { server, agency } = await letOn(clock);
  const made = await endedLet(server, agency);
  await erase(agency, made.customer);
  const { accounts } = await holdsOf(agency, made.customer);
  await reveal(agency, accounts!.id);
  const { api } = await addKey(server, agency.accountId, { permissions: allPermissions });
  const other = new Agency(agency.accountId, api);
  expectCode(await download(other, accounts!.id, made.agreement), 'status_transition_invalid');
  await good(download(agency, accounts!.id, made.agreement));
  clock.advanceSeconds(600);
  expectCode(await download(agency, accounts!.id, made.agreement), 'status_transition_invalid');
  const { api: reader } = await addKey(server, agency.accountId, { permissions: ['retention_holds.read'] });
  const hold = `/v1/retention_holds/${accounts!.id}`;
  for (const answer of [
    await reader.post(`${hold}/reveal`, { reason: 'Why' }),
    await reader.get(`${hold}/contents?file=file_1`),
  ])
    expect(answer.body.error).toMatchObject({ code: 'permission_denied' });
});

test('empties a hold for good after its last day, when two workers find it', async () => {
  const clock = new LetClock();
  const { server, agency } = await letOn(clock);
  const other = await startTestServer({ connection: server.connection, overrides: { clock } });
  const made = await endedLet(server, agency);
  await erase(agency, made.customer);
  const { right_to_rent: evidence, accounts } = await holdsOf(agency, made.customer);
  const dawns = (): Promise<unknown> => {
    const signal = AbortSignal.timeout(dawnMsMax);
    return Promise.all([server, other].map(({ context }) => context.breakDays(signal)));
  };
  clock.moveTo('2028-01-04');
  await dawns();
  await reveal(agency, evidence!.id);
  clock.moveTo('2028-01-05');
  await dawns();
  expect(await agency.get('retention_holds', evidence!.id)).toMatchObject({ status: 'expired', reveals: 1 });
  expect(await agency.historyOf(evidence!.id)).toEqual([
    'retention_hold.created',
    'retention_hold.updated',
    'retention_hold.revealed',
    'retention_hold.updated',
    'retention_hold.expired',
  ]);
  expectCode(
    await agency.api.post(`/v1/retention_holds/${evidence!.id}/reveal`, { reason: 'Why' }),
    'status_transition_invalid',
  );
  expectCode(await download(agency, evidence!.id, made.evidence), 'status_transition_invalid');
  expect(await partsOf(server)).toEqual([accounts!.id]);
  await reveal(agency, accounts!.id);
  clock.moveTo('2033-04-01');
  await dawns();
  expect(await agency.get('retention_holds', accounts!.id)).toMatchObject({ status: 'expired' });
  expect(await partsOf(server)).toEqual([]);
  const { rows } = await server.context.database.readers.query(
    'select from retention_holds where sealed is not null or file_key is not null',
  );
  expect(rows).toEqual([]);
  await expectGone(server);
  await other.stop();
});

test('expires more holds than a page has', async () => {
  const clock = new LetClock();
  const { server, agency } = await letOn(clock);
  const made = await endedLet(server, agency);
  await erase(agency, made.customer);
  const { accounts } = await holdsOf(agency, made.customer);
  await server.context.database.readers.query(
    `insert into retention_holds
     select account_id, left(id, 20) || lpad(number::text, 7, '0'), created, revision, customer, kind, basis, files, until, status, reveals,
       revealed_at, expired_at, revealed_to, sealed, file_key, next_on
     from retention_holds, generate_series(1, 250) as number
     where id = $1`,
    [accounts!.id],
  );
  clock.moveTo('2033-04-01');
  const changed = await breakDays(server.context, AbortSignal.timeout(dawnMsMax));
  expect(changed).toBe(252);
  expect((await good(agency.api.get('/v1/retention_holds?status=held'))).body.data).toEqual([]);
});

test('keeps the agreement of joint tenants until the last of them is erased, and a copy in the hold of each', async () => {
  const { server, agency } = await letOn();
  const { id: other } = await agency.make('customers', { name: 'Bo' });
  const made = await endedLet(server, agency, { others: [other] });
  await erase(agency, made.customer);
  expect(await agency.get('files', made.agreement)).toMatchObject({ filename: 'agreement.pdf' });
  expectRefusal(await agency.api.get(`/v1/files/${made.evidence}`), refusals.idUnknown);
  await erase(agency, other);
  expectRefusal(await agency.api.get(`/v1/files/${made.agreement}`), refusals.idUnknown);
  await expectGone(server);
  for (const customer of [made.customer, other]) {
    const { accounts } = await holdsOf(agency, customer);
    await reveal(agency, accounts!.id);
    expect((await download(agency, accounts!.id, made.agreement)).text).toContain('jointagreement');
  }
  expect(await holdsOf(agency, other)).not.toHaveProperty('right_to_rent');
});

test('keeps the evidence while another person has the same file', async () => {
  const { server, agency } = await letOn();
  const made = await endedLet(server, agency);
  const right = { status: 'unlimited', checked_on: '2026-12-01', files: [made.evidence] };
  const { id: other } = await agency.make('customers', { name: 'Bo', right_to_rent: right });
  await erase(agency, made.customer);
  await good(agency.api.get(`/v1/files/${made.evidence}`));
  await erase(agency, other);
  expectRefusal(await agency.api.get(`/v1/files/${made.evidence}`), refusals.idUnknown);
});

test('makes no hold when no law rules the let, or its duty has ended', async () => {
  const clock = new LetClock();
  const { server, agency } = await letOn(clock);
  const unruled = await endedLet(server, agency, { unit: { jurisdiction: 'none' } });
  await erase(agency, unruled.customer);
  expect(await holdsOf(agency, unruled.customer)).toEqual({});
  await expectGone(server);
  const scottish = await endedLet(server, agency, { unit: { jurisdiction: 'scotland' } });
  await erase(agency, scottish.customer);
  expect(Object.keys(await holdsOf(agency, scottish.customer))).toEqual(['accounts']);
  const late = await endedLet(server, agency);
  const chosen = await endedLet(server, agency);
  clock.moveTo('2029-01-04');
  await erase(agency, late.customer);
  expect(Object.keys(await holdsOf(agency, late.customer))).toEqual(['accounts']);
  await good(agency.api.post('/v1/account', { rules: { ruleset: 'none' } }));
  await erase(agency, chosen.customer);
  expect(await holdsOf(agency, chosen.customer)).toEqual({});
  await expectGone(server);
});

test.for([
  ['01-03', '2034-01-03'],
  ['01-04', '2033-01-04'],
  ['12-31', '2033-12-31'],
  ['02-28', '2033-02-28'],
])(
  'keeps the accounts for six years after the year that ends on %s, which follows the last entry',
  async ([end, until]) => {
    const { server, agency } = await letOn();
    expect((await good(agency.api.post('/v1/account', { year_end: end }))).body.year_end).toBe(end);
    const made = await endedLet(server, agency);
    await erase(agency, made.customer);
    expect((await holdsOf(agency, made.customer)).accounts).toMatchObject({ until });
  },
);

test('refuses a year end that no year has', async () => {
  const { agency } = await letOn();
  for (const day of ['02-29', '04-31', '13-01', '3-31'])
    expectCode(await agency.api.post('/v1/account', { year_end: day }), 'parameter_invalid');
});

test('gives no agent a permission for holds', async () => {
  const { agency } = await letOn();
  for (const permission of ['retention_holds.read', 'retention_holds.write']) {
    const body = { type: 'agent', name: 'Agent', permissions: [permission] };
    expectCode(await agency.api.post('/v1/api_keys', body), 'parameter_invalid');
  }
});

test.for(['before the first copy', 'after one copy', 'before a file is deleted'] as const)(
  'finishes an erasure in the next process when the first ends %s',
  async (moment) => {
    const clock = new LetClock();
    let left = { 'before the first copy': 0, 'after one copy': 1, 'before a file is deleted': 3 }[moment];
    let isDead = false;
    const server = await serverForTest({
      overrides: { clock },
      changeContext(context) {
        const { sealedFiles, committer } = context;
        const seal = sealedFiles.seal.bind(sealedFiles);
        const commitAsSystem = committer.commitAsSystem.bind(committer);
        sealedFiles.seal = async (...copy) => {
          isDead ||= left === 0;
          if (isDead) throw ended;
          left -= 1;
          await seal(...copy);
        };
        committer.commitAsSystem = async (...request) => {
          isDead ||= left === 0 && moment === 'before a file is deleted';
          if (isDead) throw ended;
          return commitAsSystem(...request);
        };
        return context;
      },
    });
    const agency = await Agency.on(server);
    const made = await endedLet(server, agency);
    await erase(agency, made.customer);
    expect(isDead).toBe(true);
    expect(await occurrencesOf(server, 'passportpages')).not.toEqual([]);
    clock.advanceSeconds(61);
    const next = await startTestServer({ connection: server.connection, overrides: { clock } });
    await next.context.eraser.finish();
    await next.stop();
    await expectGone(server);
    const { right_to_rent: evidence, accounts } = await holdsOf(agency, made.customer);
    for (const [hold, file, bytes] of [
      [evidence!, made.evidence, 'passportpages'],
      [accounts!, made.agreement, 'jointagreement'],
      [accounts!, made.certificate, 'certificatebytes'],
    ] as const) {
      await reveal(agency, hold.id);
      expect((await download(agency, hold.id, file)).text).toContain(bytes);
    }
  },
);

async function partsOf(server: TestServer): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ hold: string }>(
    'select distinct hold from retention_hold_parts order by hold',
  );
  return rows.map(({ hold }) => hold);
}
