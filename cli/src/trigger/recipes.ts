import type { RequestOptions, Tenure } from 'tenure';

interface Kitchen {
  client: Tenure;
  options: RequestOptions;
  /** Fields for the first record. */
  overrides: Record<string, unknown>;
}

/** Causes an event, and returns the id of its record. */
export type Recipe = (kitchen: Kitchen) => Promise<string>;

/** Nothing listens there, and a sandbox allows the address. */
const unusedUrl = 'http://127.0.0.1:9/';

/** A PDF with one empty page. */
const emptyPdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** A day that has come in every time zone, and one that has not. */
const pastDay = '2026-01-05';
const futureDay = '2090-02-01';

const metadata = { triggered_by: 'tenure trigger' };
const changed = { metadata: { ...metadata, changed: 'yes' } };

/** How to cause each event, or why no command can. */
export const recipes: Record<string, Recipe | string> = {
  'reference.created': reference,
  'reference.updated': async (kitchen) => {
    const id = await reference(kitchen);
    await kitchen.client.references.update(id, changed, kitchen.options);
    return id;
  },
  'reference.completed': async (kitchen) => {
    const id = await reference(kitchen);
    await kitchen.client.references.update(id, { outcome: 'accept' }, kitchen.options);
    return id;
  },
  'reference.canceled': async (kitchen) => {
    const id = await reference(kitchen);
    await kitchen.client.references.cancel(id, {}, kitchen.options);
    return id;
  },
  'reference.deleted': async (kitchen) => {
    const id = await reference(kitchen);
    await kitchen.client.references.cancel(id, {}, kitchen.options);
    await kitchen.client.references.erase(id, {}, kitchen.options);
    return id;
  },
  'application.created': application,
  'application.updated': async (kitchen) => {
    const id = await application(kitchen);
    await kitchen.client.applications.update(id, changed, kitchen.options);
    return id;
  },
  'application.deleted': async (kitchen) => {
    const id = await application(kitchen);
    await kitchen.client.applications.delete(id, kitchen.options);
    return id;
  },
  'application.approved': (kitchen) => decided(kitchen, ['approve']),
  'application.rejected': (kitchen) => decided(kitchen, ['reject']),
  'application.withdrawn': (kitchen) => decided(kitchen, ['withdraw']),
  'application.review_requested': (kitchen) => decided(kitchen, ['reject', 'requestReview']),
  'application.reviewed': (kitchen) => decided(kitchen, ['reject', 'requestReview', 'review']),
  'application.converted': (kitchen) => letTo(kitchen, ['sign']),
  'application.reopened': (kitchen) => letTo(kitchen, ['sign', 'cancel']),
  'application.check_raised': 'the server makes it when a duty by law is missed.',
  'guarantor.created': guarantor,
  'guarantor.updated': async (kitchen) => {
    const id = await guarantor(kitchen);
    await kitchen.client.guarantors.update(id, changed, kitchen.options);
    return id;
  },
  'guarantor.deleted': async (kitchen) => {
    const id = await guarantor(kitchen);
    await kitchen.client.guarantors.delete(id, kitchen.options);
    return id;
  },
  'guarantor.agreed': async (kitchen) => {
    const id = await guarantor(kitchen);
    await kitchen.client.guarantors.agree(id, { agreed_on: pastDay }, kitchen.options);
    return id;
  },
  'guarantor.declined': async (kitchen) => {
    const id = await guarantor(kitchen);
    await kitchen.client.guarantors.decline(id, {}, kitchen.options);
    return id;
  },
  'guarantor.released': async (kitchen) => {
    const id = await guarantor(kitchen);
    await kitchen.client.guarantors.agree(id, { agreed_on: pastDay }, kitchen.options);
    await kitchen.client.guarantors.release(id, { released_on: pastDay }, kitchen.options);
    return id;
  },
  'building.created': building,
  'building.updated': async (kitchen) => {
    const id = await building(kitchen);
    await kitchen.client.buildings.update(id, changed, kitchen.options);
    return id;
  },
  'building.deleted': async (kitchen) => {
    const id = await building(kitchen);
    await kitchen.client.buildings.delete(id, kitchen.options);
    return id;
  },
  'unit.created': unit,
  'unit.updated': async (kitchen) => {
    const id = await unit(kitchen);
    await kitchen.client.units.update(id, changed, kitchen.options);
    return id;
  },
  'unit.deleted': async (kitchen) => {
    const id = await unit(kitchen);
    await kitchen.client.units.delete(id, kitchen.options);
    return id;
  },
  'unit.let_agreed': (kitchen) => letTo(kitchen, ['sign']),
  'unit.available': (kitchen) => letTo(kitchen, ['sign', 'cancel']),
  'unit.occupied': 'the server makes it on the first day of a signed tenancy.',
  'unit.reserved': (kitchen) => held(kitchen, ['pay']),
  'tenancy.created': (kitchen) => letTo(kitchen, []),
  'tenancy.updated': async (kitchen) => {
    const id = await letTo(kitchen, []);
    await kitchen.client.tenancies.update(id, changed, kitchen.options);
    return id;
  },
  'tenancy.signed': (kitchen) => letTo(kitchen, ['sign']),
  'tenancy.activated': 'the server makes it on the first day of a signed tenancy.',
  'tenancy.notice_given': (kitchen) => letTo(kitchen, ['sign', 'giveNotice']),
  'tenancy.notice_withdrawn': (kitchen) => letTo(kitchen, ['sign', 'giveNotice', 'withdrawNotice']),
  'tenancy.ended': (kitchen) =>
    letTo({ ...kitchen, overrides: { start_date: pastDay, ...kitchen.overrides } }, ['sign', 'giveNotice', 'end']),
  'tenancy.canceled': (kitchen) => letTo(kitchen, ['cancel']),
  'tenancy.pet_requested': (kitchen) => letTo(kitchen, ['sign', 'requestPet']),
  'tenancy.pet_answered': (kitchen) => letTo(kitchen, ['sign', 'requestPet', 'answerPet']),
  // No check of the right to rent is recorded, and the law demands one.
  'tenancy.check_raised': (kitchen) => letTo(kitchen, ['sign']),
  'tenancy.arrears_started': 'the server makes it on the day after an unpaid invoice was due.',
  'tenancy.arrears_cleared': 'a payment makes it after arrears.',
  'deposit.created': (kitchen) => secured(kitchen, []),
  'deposit.updated': (kitchen) => secured(kitchen, ['update']),
  'deposit.received': (kitchen) => secured(kitchen, ['pay']),
  'deposit.applied': (kitchen) => held(kitchen, ['pay', 'apply']),
  'deposit.retained': (kitchen) => held(kitchen, ['pay', 'retain']),
  'deposit.returned': (kitchen) => held(kitchen, ['pay', 'giveBack']),
  'deposit.protected': (kitchen) => secured(kitchen, ['pay', 'protect']),
  'deposit.information_given': (kitchen) => secured(kitchen, ['pay', 'giveInformation']),
  'deposit.release_proposed': (kitchen) => secured(kitchen, ['pay', 'proposeRelease']),
  'deposit.disputed': (kitchen) => secured(kitchen, ['pay', 'proposeRelease', 'dispute']),
  'deposit.released': (kitchen) => secured(kitchen, ['pay', 'release']),
  'deposit.canceled': (kitchen) => secured(kitchen, ['cancel']),
  // Its money came long ago, and the law demands the protection within 30 days.
  'deposit.check_raised': (kitchen) => secured(kitchen, ['pay', 'giveInformation']),
  'subscription.created': (kitchen) => subscribed(kitchen, []),
  'subscription.updated': (kitchen) => subscribed(kitchen, ['update']),
  'subscription.activated': (kitchen) => subscribed(kitchen, []),
  'subscription.change_scheduled': (kitchen) => subscribed(kitchen, ['changeAmount']),
  'subscription.change_canceled': (kitchen) => subscribed(kitchen, ['changeAmount', 'cancelChange']),
  'subscription.amount_changed': 'the server makes it on the day of a scheduled change.',
  'subscription.paused': (kitchen) => subscribed(kitchen, ['pause']),
  'subscription.resumed': (kitchen) => subscribed(kitchen, ['pause', 'resume']),
  'subscription.ended': 'the server makes it after the last day.',
  'invoice.created': (kitchen) => invoiced(kitchen, []),
  'invoice.updated': (kitchen) => invoiced(kitchen, ['update']),
  'invoice.deleted': (kitchen) => invoiced(kitchen, ['delete']),
  'invoice.finalized': (kitchen) => invoiced(kitchen, ['finalize']),
  'invoice.paid': (kitchen) => invoiced(kitchen, ['finalize', 'pay']),
  'invoice.reopened': (kitchen) => invoiced(kitchen, ['finalize', 'pay', 'fail']),
  'invoice.credited': (kitchen) => invoiced(kitchen, ['finalize', 'credit']),
  'invoice.voided': (kitchen) => invoiced(kitchen, ['finalize', 'void']),
  'invoice.marked_uncollectible': (kitchen) => invoiced(kitchen, ['finalize', 'markUncollectible']),
  'invoice.overdue': 'the server makes it on the day after an unpaid invoice was due.',
  'payment.created': (kitchen) => paid(kitchen, []),
  'payment.updated': (kitchen) => paid(kitchen, ['update']),
  'payment.succeeded': (kitchen) => paid(kitchen, ['succeed']),
  'payment.failed': (kitchen) => paid(kitchen, ['fail']),
  'payment.canceled': (kitchen) => paid(kitchen, ['cancel']),
  'payment.allocated': (kitchen) => paid(kitchen, ['succeed', 'allocate']),
  'payment.refunded': (kitchen) => paid(kitchen, ['succeed', 'refund']),
  'payment_import.created': async (kitchen) => (await imported(kitchen)).id,
  'payment_import.updated': async (kitchen) => {
    const { id, line } = await imported(kitchen);
    await kitchen.client.bankLines.ignore(line, {}, kitchen.options);
    return id;
  },
  'bank_line.updated': (kitchen) => bankLine(kitchen, ['ignore']),
  'bank_line.confirmed': (kitchen) => bankLine(kitchen, ['confirm']),
  'bank_line.ignored': (kitchen) => bankLine(kitchen, ['ignore']),
  'bank_line.reopened': (kitchen) => bankLine(kitchen, ['ignore', 'reopen']),
  'bank_line.deleted': (kitchen) => bankLine(kitchen, ['erase']),
  'retention_hold.created': 'the deletion of a customer with a ledger makes it.',
  'retention_hold.updated': 'a reveal makes it.',
  'retention_hold.revealed': 'the response of a reveal has data of a person.',
  'retention_hold.expired': 'the server makes it after the last day of the duty.',
  'customer.created': customer,
  'customer.updated': async (kitchen) => {
    const id = await customer(kitchen);
    await kitchen.client.customers.update(id, changed, kitchen.options);
    return id;
  },
  'customer.deleted': async (kitchen) => {
    const id = await customer(kitchen);
    await kitchen.client.customers.delete(id, kitchen.options);
    return id;
  },
  'file.created': file,
  'file.updated': async (kitchen) => {
    const id = await file(kitchen);
    await kitchen.client.files.update(id, changed, kitchen.options);
    return id;
  },
  'file.deleted': async (kitchen) => {
    const id = await file(kitchen);
    await kitchen.client.files.delete(id, kitchen.options);
    return id;
  },
  'file_link.created': fileLink,
  'file_link.updated': async (kitchen) => {
    const id = await fileLink(kitchen);
    await kitchen.client.fileLinks.revoke(id, {}, kitchen.options);
    return id;
  },
  'file_link.revoked': async (kitchen) => {
    const id = await fileLink(kitchen);
    await kitchen.client.fileLinks.revoke(id, {}, kitchen.options);
    return id;
  },
  'file_link.opened': 'a person presses the button of the page at the `url` of a link.',
  'portal_session.created': portalSession,
  'portal_session.updated': async (kitchen) => {
    const id = await portalSession(kitchen);
    await kitchen.client.portalSessions.end(id, {}, kitchen.options);
    return id;
  },
  'portal_session.ended': async (kitchen) => {
    const id = await portalSession(kitchen);
    await kitchen.client.portalSessions.end(id, {}, kitchen.options);
    return id;
  },
  'portal_session.opened': 'a person opens the `url` of a portal session.',
  'workflow.created': workflow,
  'workflow.updated': async (kitchen) => {
    const id = await workflow(kitchen);
    await kitchen.client.workflows.update(id, changed, kitchen.options);
    return id;
  },
  'workflow.deleted': async (kitchen) => {
    const id = await workflow(kitchen);
    await kitchen.client.workflows.delete(id, kitchen.options);
    return id;
  },
  'workflow.activated': async (kitchen) => {
    const id = await workflow(kitchen);
    await kitchen.client.workflows.activate(id, {}, kitchen.options);
    await kitchen.client.workflows.archive(id, {}, kitchen.options);
    return id;
  },
  'workflow.paused': async (kitchen) => {
    const id = await workflow(kitchen);
    await kitchen.client.workflows.activate(id, {}, kitchen.options);
    await kitchen.client.workflows.pause(id, {}, kitchen.options);
    return id;
  },
  'workflow.archived': async (kitchen) => {
    const id = await workflow(kitchen);
    await kitchen.client.workflows.activate(id, {}, kitchen.options);
    await kitchen.client.workflows.archive(id, {}, kitchen.options);
    return id;
  },
  'workflow_run.created': 'an event starts a run of an active workflow.',
  'workflow_run.updated': 'a run of a workflow takes a step.',
  'workflow_run.succeeded': 'a run of a workflow has taken its last step.',
  'workflow_run.failed': 'a step of a workflow fails.',
  'workflow_run.canceled': 'you cancel a run with `tenure workflow_runs cancel`.',
  'webhook_endpoint.created': (kitchen) => withEndpoint(kitchen, async () => {}),
  'webhook_endpoint.updated': (kitchen) =>
    withEndpoint(kitchen, (id) => kitchen.client.webhookEndpoints.update(id, changed, kitchen.options)),
  'webhook_endpoint.deleted': (kitchen) => withEndpoint(kitchen, async () => {}),
  'webhook_endpoint.secret_rolled': (kitchen) =>
    withEndpoint(kitchen, (id) => kitchen.client.webhookEndpoints.rollSecret(id, {}, kitchen.options)),
  'webhook_endpoint.pinged': (kitchen) =>
    withEndpoint(kitchen, (id) => kitchen.client.webhookEndpoints.ping(id, {}, kitchen.options)),
  'webhook_endpoint.disabled': 'the server disables an endpoint after five days of failed attempts.',
  'recovery.created': (kitchen) => withEndpoint(kitchen, (id) => recover(kitchen, id)),
  'recovery.canceled': (kitchen) => withEndpoint(kitchen, (id) => recover(kitchen, id)),
  'recovery.completed':
    'the server completes a recovery some seconds after `tenure webhook_endpoints recover`. Add --wait to it.',
  'recovery.updated': 'only a recovery of more than 1,000 events is updated on its way.',
  'account.created': 'a connected account cannot be deleted again. Make one with `tenure accounts create`.',
  'account.updated': async ({ client, options }) => {
    const { id, name } = await client.account.retrieve({}, options);
    await client.account.update({ name: `${name} *` }, options);
    // The account must be as it was.
    await client.account.update({ name }, options);
    return id;
  },
  ...Object.fromEntries(
    [
      'user.created',
      'user.updated',
      'user.deleted',
      'invitation.created',
      'invitation.updated',
      'invitation.accepted',
      'invitation.revoked',
    ].map((type) => [type, 'only a person in the dashboard makes it. Open the team: tenure open team']),
  ),
  ...Object.fromEntries(
    ['created', 'updated', 'approved', 'rejected', 'canceled', 'expired', 'executed'].map((verb) => [
      `approval_request.${verb}`,
      'only a request of an agent’s key makes it. The guide on agents has the commands.',
    ]),
  ),
  'account.credentials_changed': 'it would replace the credentials of a provider. Use `tenure account update`.',
  'api_key.created': (kitchen) => withKey(kitchen, async (id) => id),
  'api_key.updated': (kitchen) => withKey(kitchen, async (id) => id),
  'api_key.rolled': (kitchen) =>
    withKey(kitchen, async (id) => (await kitchen.client.apiKeys.roll(id, { expires_in: 60 }, kitchen.options)).id),
  'api_key.revoked': (kitchen) => withKey(kitchen, async (id) => id),
};

async function reference({ client, options, overrides }: Kitchen): Promise<string> {
  const made = await client.references.create({ application: 'app_trigger', metadata, ...overrides }, options);
  return made.id;
}

async function application({ client, options, overrides }: Kitchen): Promise<string> {
  return (await client.applications.create({ unit: 'flat_trigger', metadata, ...overrides }, options)).id;
}

/** Makes an application, and decides it in these steps. */
async function decided(
  kitchen: Kitchen,
  steps: readonly ('approve' | 'reject' | 'withdraw' | 'requestReview' | 'review')[],
): Promise<string> {
  const { client, options } = kitchen;
  const id = await application(kitchen);
  const acts = {
    approve: () => client.applications.approve(id, {}, options),
    reject: () => client.applications.reject(id, { reasons: ['affordability'] }, options),
    withdraw: () => client.applications.withdraw(id, {}, options),
    requestReview: () => client.applications.requestReview(id, {}, options),
    review: () => client.applications.review(id, { result: 'upheld', note: 'As before.' }, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

async function guarantor({ client, options, overrides }: Kitchen): Promise<string> {
  const applied = await application({ client, options, overrides: {} });
  const body = { application: applied, customer: 'cus_trigger', metadata, ...overrides };
  return (await client.guarantors.create(body, options)).id;
}

async function building({ client, options, overrides }: Kitchen): Promise<string> {
  const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
  return (await client.buildings.create({ name: 'Coppergate', address, metadata, ...overrides }, options)).id;
}

async function unit({ client, options, overrides }: Kitchen): Promise<string> {
  const within = await building({ client, options, overrides: {} });
  return (await client.units.create({ building: within, name: 'Flat 2', metadata, ...overrides }, options)).id;
}

/** Drafts a tenancy of a new home, and takes these steps. */
async function letTo(
  { client, options, overrides }: Kitchen,
  steps: readonly ('sign' | 'giveNotice' | 'withdrawNotice' | 'end' | 'cancel' | 'requestPet' | 'answerPet')[],
): Promise<string> {
  const plain = { client, options, overrides: {} };
  const [home, person, applied] = [await unit(plain), await customer(plain), await application(plain)];
  const { id } = await client.tenancies.create(
    {
      unit: home,
      application: applied,
      customers: [person],
      start_date: futureDay,
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      metadata,
      ...overrides,
    },
    options,
  );
  const acts = {
    sign: () => client.tenancies.sign(id, { signed_on: pastDay }, options),
    giveNotice: () =>
      client.tenancies.giveNotice(id, { by: 'tenant', served_on: pastDay, ends_on: '2090-04-30' }, options),
    withdrawNotice: () => client.tenancies.withdrawNotice(id, { agreed_in_writing: true }, options),
    end: () => client.tenancies.end(id, { ended_on: pastDay, reason: 'surrender' }, options),
    cancel: () => client.tenancies.cancel(id, {}, options),
    requestPet: () => client.tenancies.requestPet(id, { customer: person, description: 'A small dog.' }, options),
    answerPet: () => client.tenancies.answerPet(id, { number: 1, answer: 'granted' }, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Makes a deposit of a signed tenancy, and takes these steps. */
async function secured(
  { client, options, overrides }: Kitchen,
  steps: readonly (
    | 'update'
    | 'pay'
    | 'protect'
    | 'giveInformation'
    | 'proposeRelease'
    | 'dispute'
    | 'release'
    | 'cancel'
  )[],
): Promise<string> {
  const tenancy = await letTo({ client, options, overrides: {} }, ['sign']);
  const { id } = await client.deposits.create(
    { type: 'tenancy', tenancy, amount: 100_000, metadata, ...overrides },
    options,
  );
  const deductions = [{ amount: 4_500, reason: 'cleaning' as const }];
  const acts = {
    update: () => client.deposits.update(id, changed, options),
    pay: () => payDeposit({ client, options }, id),
    protect: () =>
      client.deposits.protect(id, { scheme: 'dps_custodial', scheme_reference: 'D1', protected_on: pastDay }, options),
    giveInformation: () => client.deposits.giveInformation(id, { given_on: pastDay }, options),
    proposeRelease: () => client.deposits.proposeRelease(id, { deductions }, options),
    dispute: () => client.deposits.dispute(id, { amount: 4_500 }, options),
    release: () => client.deposits.release(id, { deductions, returned_on: pastDay }, options),
    cancel: () => client.deposits.cancel(id, {}, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Makes a holding deposit for a new home, and takes these steps. */
async function held(
  { client, options, overrides }: Kitchen,
  steps: readonly ('pay' | 'apply' | 'retain' | 'giveBack')[],
): Promise<string> {
  const rent = { amount: 95_000, currency: 'gbp', interval: 'month' } as const;
  const home = await unit({ client, options, overrides: { rent } });
  const applied = await application({ client, options, overrides: { unit: home, rent } });
  const { id } = await client.deposits.create(
    { type: 'holding', application: applied, amount: 20_000, metadata, ...overrides },
    options,
  );
  const acts = {
    pay: () => payDeposit({ client, options }, id),
    apply: async () => {
      const tenancy = await letTo({ client, options, overrides: { unit: home, application: applied } }, ['sign']);
      await client.deposits.apply(id, { to: [{ tenancy, amount: 20_000 }], payer_consents: true }, options);
    },
    retain: () =>
      client.deposits.retain(
        id,
        { amount: 20_000, reason: 'tenant_withdrew', explanation: 'The applicants took another home.' },
        options,
      ),
    giveBack: () => client.deposits.return(id, { returned_on: pastDay }, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Records all of the money of a deposit. */
async function payDeposit({ client, options }: Pick<Kitchen, 'client' | 'options'>, id: string): Promise<void> {
  const { amount } = await client.deposits.retrieve(id, {}, options);
  await client.payments.create(
    { deposit: id, amount, method: 'bank_transfer', received_on: pastDay, metadata },
    options,
  );
}

/** Makes a subscription of a tenancy that has begun, and takes these steps. */
async function subscribed(
  { client, options, overrides }: Kitchen,
  steps: readonly ('update' | 'changeAmount' | 'cancelChange' | 'pause' | 'resume')[],
): Promise<string> {
  const tenancy = await letTo({ client, options, overrides: { start_date: pastDay } }, ['sign']);
  // Rent of the past would only be more invoices. The clock of a sandbox can be years ahead of this machine, so the server tells its day.
  const { signed_at: now } = await client.tenancies.retrieve(tenancy, {}, options);
  const today = new Date(now! * 1000).toISOString().slice(0, 10);
  const { id } = await client.subscriptions.create(
    { tenancy, start_date: today, invoice_before: 0, metadata, ...overrides },
    options,
  );
  const acts = {
    update: () => client.subscriptions.update(id, changed, options),
    changeAmount: async () => {
      const { next_period_start: next } = await client.subscriptions.retrieve(id, {}, options);
      await client.subscriptions.changeAmount(id, { amount: 90_000, effective_on: next!, basis: 'agreement' }, options);
    },
    cancelChange: () => client.subscriptions.cancelChange(id, {}, options),
    pause: () => client.subscriptions.pause(id, {}, options),
    resume: () => client.subscriptions.resume(id, {}, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Makes an invoice of a signed tenancy, and takes these steps. */
async function invoiced(
  { client, options, overrides }: Kitchen,
  steps: readonly ('update' | 'delete' | 'finalize' | 'pay' | 'fail' | 'credit' | 'void' | 'markUncollectible')[],
): Promise<string> {
  const tenancy = await letTo({ client, options, overrides: {} }, ['sign']);
  const lines = [{ type: 'rent' as const, description: 'Rent', amount: 95_000 }];
  const { id } = await client.invoices.create({ tenancy, lines, due_on: futureDay, metadata, ...overrides }, options);
  let payment = '';
  const acts = {
    update: () => client.invoices.update(id, changed, options),
    delete: () => client.invoices.delete(id, options),
    finalize: () => client.invoices.finalize(id, {}, options),
    pay: async () => {
      payment = (await client.payments.create({ tenancy, amount: 95_000, method: 'bank_transfer', metadata }, options))
        .id;
    },
    fail: () => client.payments.fail(payment, { code: 'insufficient_funds' }, options),
    credit: () => client.invoices.credit(id, { amount: 5_000, reason: 'The heating failed.' }, options),
    void: () => client.invoices.void(id, { reason: 'Sent twice.' }, options),
    markUncollectible: () => client.invoices.markUncollectible(id, {}, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Makes a pending payment of a signed tenancy, and takes these steps. */
async function paid(
  { client, options, overrides }: Kitchen,
  steps: readonly ('update' | 'succeed' | 'fail' | 'cancel' | 'allocate' | 'refund')[],
): Promise<string> {
  const tenancy = await letTo({ client, options, overrides: {} }, ['sign']);
  const { id } = await client.payments.create(
    { tenancy, amount: 95_000, method: 'bank_transfer', status: 'pending', metadata, ...overrides },
    options,
  );
  const acts = {
    update: () => client.payments.update(id, changed, options),
    succeed: () => client.payments.succeed(id, {}, options),
    fail: () => client.payments.fail(id, { code: 'insufficient_funds' }, options),
    cancel: () => client.payments.cancel(id, {}, options),
    allocate: () => client.payments.allocate(id, { allocations: [] }, options),
    refund: () => client.payments.refund(id, { amount: 5_000, reason: 'Paid twice.' }, options),
  };
  for (const step of steps) await acts[step]();
  return id;
}

/** Imports a bank statement of one line. Its reference is new each time, because a known line is not made again. */
async function imported({ client, options }: Kitchen): Promise<{ id: string; line: string }> {
  const csv = `date,amount,reference,payer\n${pastDay},950.00,tenure trigger ${crypto.randomUUID()},\n`;
  const { id } = await client.payments.import({ file: new File([csv], 'trigger.csv', { type: 'text/csv' }) }, options);
  const { data } = await client.bankLines.list({ import: id }, options);
  return { id, line: data[0]!.id };
}

async function bankLine(
  kitchen: Kitchen,
  steps: readonly ('confirm' | 'ignore' | 'reopen' | 'erase')[],
): Promise<string> {
  const { client, options } = kitchen;
  const { line } = await imported(kitchen);
  const acts = {
    confirm: async () => {
      const tenancy = await letTo({ client, options, overrides: {} }, ['sign']);
      return client.bankLines.confirm(line, { tenancy }, options);
    },
    ignore: () => client.bankLines.ignore(line, {}, options),
    reopen: () => client.bankLines.reopen(line, {}, options),
    erase: () => client.bankLines.erase(line, {}, options),
  };
  for (const step of steps) await acts[step]();
  return line;
}

async function customer({ client, options, overrides }: Kitchen): Promise<string> {
  const made = await client.customers.create(
    { name: 'Ada Trigger', email: 'ada@example.org', metadata, ...overrides },
    options,
  );
  return made.id;
}

async function fileLink(kitchen: Kitchen): Promise<string> {
  const { client, options, overrides } = kitchen;
  const id = await file({ ...kitchen, overrides: {} });
  return (await client.files.links(id, overrides, options)).id;
}

async function portalSession(kitchen: Kitchen): Promise<string> {
  const { client, options, overrides } = kitchen;
  const person = await customer({ ...kitchen, overrides: {} });
  return (await client.portalSessions.create({ customer: person, metadata, ...overrides }, options)).id;
}

/** Makes a draft, which starts no runs. */
async function workflow({ client, options, overrides }: Kitchen): Promise<string> {
  const draft = {
    name: 'Trigger',
    trigger: { type: 'application.approved' },
    steps: [{ id: 'later', action: 'wait' as const, seconds: 60 }],
    permissions: [],
  };
  return (await client.workflows.create({ ...draft, metadata, ...overrides }, options)).id;
}

async function file({ client, options, overrides }: Kitchen): Promise<string> {
  const pdf = new File([emptyPdf], 'trigger.pdf', { type: 'application/pdf' });
  return (await client.files.create({ purpose: 'reference_report', file: pdf, metadata, ...overrides }, options)).id;
}

/** Makes an endpoint that receives nothing but pings, and deletes it afterwards: an account may have a hundred. */
async function withEndpoint(
  { client, options, overrides }: Kitchen,
  act: (id: string) => PromiseLike<unknown>,
): Promise<string> {
  const { id } = await client.webhookEndpoints.create(
    { url: unusedUrl, enabled_events: ['webhook_endpoint.pinged'], metadata, ...overrides },
    options,
  );
  await act(id);
  await client.webhookEndpoints.delete(id, options);
  return id;
}

function recover({ client, options }: Kitchen, endpointId: string): PromiseLike<unknown> {
  return client.webhookEndpoints.recover(endpointId, { since: Math.floor(Date.now() / 1000) - 60 }, options);
}

/** Makes a key that may do little, and revokes it afterwards. */
async function withKey({ client, options, overrides }: Kitchen, act: (id: string) => Promise<string>): Promise<string> {
  const { id } = await client.apiKeys.create(
    { type: 'restricted', name: 'tenure trigger', permissions: ['events.read'], ...overrides },
    options,
  );
  await client.apiKeys.delete(await act(id), options);
  return id;
}
