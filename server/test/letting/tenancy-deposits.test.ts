import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { good, type TestServer } from '../support/server.ts';
import { Agency, expectCode, fiveWeeks, startDay, week, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});

beforeEach(async () => {
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

describe('a tenancy deposit', () => {
  test('is refused what only a holding deposit does, and the other way round', async () => {
    const { deposit } = await agency.secured();
    for (const [name, body] of [
      ['extend', { decide_by: '2027-03-01', agreed_in_writing: true }],
      ['retain', { amount: 1, reason: 'tenant_withdrew', explanation: 'They left.' }],
      ['return', { returned_on: startDay }],
      ['apply', { to: [{ deposit, amount: 1 }], payer_consents: true }],
    ] as const)
      expectCode(await agency.api.post(`/v1/deposits/${deposit}/${name}`, body), 'status_transition_invalid');
    const { id } = await agency.holding((await agency.applied()).application);
    await agency.payDeposit(id, week);
    for (const [name, body] of [
      ['protect', { scheme: 'other', scheme_reference: 'D1', protected_on: startDay }],
      ['give_information', { given_on: startDay }],
      ['propose_release', { deductions: [] }],
      ['dispute', { amount: 1 }],
      ['release', { deductions: [], returned_on: startDay }],
    ] as const)
      expectCode(await agency.api.post(`/v1/deposits/${id}/${name}`, body), 'status_transition_invalid');
  });

  test('is protected, proposed, disputed and released, with the events of each', async () => {
    const { deposit } = await agency.secured();
    const lines = [{ amount: 4_500, reason: 'cleaning', description: 'The oven.' }];
    await agency.move('deposits', deposit, 'protect', {
      scheme: 'tds_insured',
      scheme_reference: 'D1',
      protected_on: startDay,
    });
    await agency.move('deposits', deposit, 'give_information', { given_on: startDay });
    expect(await agency.move('deposits', deposit, 'propose_release', { deductions: lines })).toMatchObject({
      status: 'releasing',
      deductions: [{ ...lines[0], invoice: null }],
    });
    const high = await agency.api.post(`/v1/deposits/${deposit}/dispute`, { amount: 4_501 });
    expectCode(high, 'amount_exceeded', { param: 'amount' });
    expect(high.body.error.message).toContain('at most 4500');
    expect(await agency.move('deposits', deposit, 'dispute', { amount: 4_500, reference: 'X-1' })).toMatchObject({
      status: 'disputed',
      dispute: { amount: 4_500, reference: 'X-1' },
    });
    expectCode(
      await agency.api.post(`/v1/deposits/${deposit}/propose_release`, { deductions: [] }),
      'status_transition_invalid',
    );
    await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
    expect(await agency.historyOf(deposit)).toEqual([
      'deposit.created',
      'deposit.updated',
      'deposit.received',
      ...['protected', 'information_given', 'release_proposed', 'disputed', 'released'].flatMap((verb) => [
        'deposit.updated',
        `deposit.${verb}`,
      ]),
    ]);
  });

  test('says how to end it when only a part of its money has come', async () => {
    const { id: unit } = await agency.unit();
    const { id: tenancy } = await agency.signed(unit);
    const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    await agency.payDeposit(id, 400);
    const toEnd = { deductions: [], returned_on: startDay };
    for (const [name, body] of [
      ['propose_release', { deductions: [] }],
      ['release', toEnd],
      ['cancel', {}],
    ] as const) {
      const refused = await agency.api.post(`/v1/deposits/${id}/${name}`, body);
      expectCode(refused, 'status_transition_invalid');
      expect(refused.body.error.message).toMatch(/[Ss]et its `amount` to 400/);
    }
    await good(agency.api.post(`/v1/deposits/${id}`, { amount: 400 }));
    expect(await agency.move('deposits', id, 'release', toEnd)).toMatchObject({
      status: 'settled',
      amount_returned: 400,
    });
  });

  test('is not disputed when nothing of it is to be kept', async () => {
    const { deposit } = await agency.secured();
    await agency.move('deposits', deposit, 'propose_release', { deductions: [] });
    const refused = await agency.api.post(`/v1/deposits/${deposit}/dispute`, { amount: 1 });
    expectCode(refused, 'amount_exceeded', { param: 'amount' });
    expect(refused.body.error.message).toContain('`release`');
  });

  test('is protected and returned on no day before its first money came', async () => {
    const { id: tenancy } = await agency.signed((await agency.unit()).id);
    const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    const money = { deposit: id, amount: 600, method: 'cash' };
    const ancient = await agency.api.post('/v1/payments', { ...money, received_on: '1899-12-31' });
    expectCode(ancient, 'parameter_invalid', { param: 'received_on' });
    await agency.payDeposit(id, 600, { received_on: '2027-01-02' });
    await agency.payDeposit(id, 400, { received_on: '2027-01-03' });
    for (const [name, param, body] of [
      ['protect', 'protected_on', { scheme: 'other', scheme_reference: 'D1' }],
      ['give_information', 'given_on', {}],
      ['release', 'returned_on', { deductions: [] }],
    ] as const) {
      const early = await agency.api.post(`/v1/deposits/${id}/${name}`, { ...body, [param]: '2027-01-01' });
      expectCode(early, 'parameter_invalid', { param });
      expect(early.body.error.message).toContain('2027-01-02 or a later day');
      await agency.move('deposits', id, name, { ...body, [param]: '2027-01-02' });
    }
  });

  test('pays the invoices of its deductions when it is released', async () => {
    const { tenancy, deposit } = await agency.secured();
    const line = { type: 'damages', description: 'A window', amount: 8_000 };
    const { id: invoice } = await agency.make('invoices', {
      tenancy,
      lines: [line],
      due_on: '2027-02-01',
      finalize: true,
    });
    const release = (deductions: object[]) =>
      agency.api.post(`/v1/deposits/${deposit}/release`, { deductions, returned_on: startDay });
    const damage = { amount: 8_000, reason: 'damage', invoice };
    const first = 'deductions[0][invoice]';
    expectCode(await release([{ ...damage, invoice: 'in_1' }]), 'resource_missing', { param: first });
    const high = await release([{ ...damage, amount: 8_001 }]);
    expectCode(high, 'amount_exceeded', { param: 'deductions[0][amount]' });
    expect(high.body.error.message).toContain('at most 8000');
    expectCode(await release([damage, { ...damage, amount: 1 }]), 'amount_exceeded', {
      param: 'deductions[1][amount]',
    });
    const all = await release([{ amount: fiveWeeks + 1, reason: 'other' }]);
    expectCode(all, 'amount_exceeded', { param: 'deductions' });
    expect(all.body.error.message).toContain(`${fiveWeeks}`);
    const elsewhere = (await agency.signed((await agency.unit()).id)).id;
    const { id: foreign } = await agency.make('invoices', { tenancy: elsewhere, lines: [line], due_on: '2027-02-01' });
    expectCode(await release([{ ...damage, invoice: foreign }]), 'parameter_invalid', { param: first });
    const { id: unfinished } = await agency.make('invoices', { tenancy, lines: [line], due_on: '2027-02-01' });
    expectCode(await release([{ ...damage, invoice: unfinished }]), 'status_transition_invalid', { param: first });
    const released = await good(
      release([
        { ...damage, amount: 5_000 },
        { ...damage, amount: 3_000 },
        { amount: 1, reason: 'other' },
      ]),
    );
    expect(released.body).toMatchObject({
      status: 'settled',
      amount_deducted: 8_001,
      amount_returned: fiveWeeks - 8_001,
    });
    expect(await agency.eventsOf(released)).toEqual([
      'deposit.updated',
      'deposit.released',
      'payment.created',
      'payment.succeeded',
      'payment.created',
      'payment.succeeded',
      'invoice.updated',
      'invoice.paid',
      'tenancy.updated',
    ]);
    expect(await agency.get('invoices', invoice)).toMatchObject({ status: 'paid', amount_paid: 8_000 });
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ balance: 0, deposit });
    const { body } = await good(agency.api.get(`/v1/payments?tenancy=${tenancy}&method=deposit`));
    expect(body.data.map(({ amount }: Made) => amount)).toEqual([3_000, 5_000]);
  });

  test('is canceled with its tenancy, and receives nothing afterwards', async () => {
    for (const tenancy of [
      await agency.draft((await agency.unit()).id),
      await agency.signed((await agency.unit()).id),
    ]) {
      const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy: tenancy.id, amount: 1_000 });
      const pending = await agency.payDeposit(deposit, 1, { status: 'pending' });
      const canceling = await good(agency.api.post(`/v1/tenancies/${tenancy.id}/cancel`));
      expect(await agency.eventsOf(canceling)).toEqual(
        expect.arrayContaining(['tenancy.canceled', 'deposit.updated', 'deposit.canceled']),
      );
      expect(await agency.get('deposits', deposit)).toMatchObject({ status: 'canceled', amount_received: 0 });
      const money = { deposit, amount: 1_000, method: 'cash' };
      for (const answer of [
        await agency.api.post('/v1/payments', money),
        await agency.api.post(`/v1/payments/${pending.id}/succeed`),
        await agency.api.post(`/v1/deposits/${deposit}/release`, { deductions: [], returned_on: startDay }),
      ])
        expectCode(answer, 'status_transition_invalid');
    }
  });

  test('keeps its tenancy from being canceled while it is held', async () => {
    const { tenancy, deposit } = await agency.secured();
    const refused = await agency.api.post(`/v1/tenancies/${tenancy}/cancel`);
    expectCode(refused, 'record_in_use');
    expect(refused.body.error.message).toContain(deposit);
    await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
    await agency.move('tenancies', tenancy, 'cancel');
  });
});
