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

async function customer({ client, options, overrides }: Kitchen): Promise<string> {
  const made = await client.customers.create(
    { name: 'Ada Trigger', email: 'ada@example.org', metadata, ...overrides },
    options,
  );
  return made.id;
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
