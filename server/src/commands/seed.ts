import { addDays, addMonths, today } from '../core/calendar.ts';
import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { readConfig } from '../server/config.ts';
import { readArguments } from './arguments.ts';
import { decideApplications, makeApplications } from './seed/applications.ts';
import { holdHomes, secureTenancies } from './seed/deposits.ts';
import { makeHomes } from './seed/homes.ts';
import { makePeople } from './seed/people.ts';
import type { Body, Calendar, Post } from './seed/post.ts';
import { collectRent } from './seed/rent.ts';
import { fillReferences } from './seed/references.ts';
import { liveInHomes, signTenancies } from './seed/tenancies.ts';

const help = `${operatorCommand('seed')}

Fills a running sandbox with the records of a letting agency: two buildings in York, customers, and applications, guarantors, references,
tenancies and deposits in every state, with the rent of a year. Advances the clock by two seconds, so that tenancies start and end. A second
run within 24 hours of its clock makes nothing twice.
`;

/** `npm run seed`: makes the records with a key of its own, and revokes that. */
async function main(): Promise<void> {
  readArguments(help);
  const config = readConfig(process.env);
  if (config.mode !== 'sandbox') throw new Error('Only a sandbox is filled: TENURE_MODE is live.');
  const url = `http://${config.host}:${config.port}`;
  await fetch(`${url}/healthz`).catch(() => {
    throw new Error(
      `No server answers at ${url}. Start one with \`${operatorCommand('start')}\`, with the same settings.`,
    );
  });
  // Loaded only now, because a wrong argument does not need it.
  const [{ withContext }, { makeAnotherKey }] = await Promise.all([
    import('./with-context.ts'),
    import('../server/first-account.ts'),
  ]);
  const key = await withContext((context) => makeAnotherKey(context, { accountId: null }));
  try {
    const { day, calendar } = await readCalendar(url, key);
    await fillAgency(postTo(url, key, day), calendar, day);
  } finally {
    await revoke(url, key);
  }
  process.stdout.write(
    `The agency is there. List its references: curl ${url}/v1/references -H "Authorization: Bearer sk_test_…"\n`,
  );
}

/** Makes what an agency has after its first year. */
async function fillAgency(post: Post, calendar: Calendar, day: string): Promise<void> {
  const homes = await makeHomes(post, day);
  const people = await makePeople(post, calendar);
  const applications = await makeApplications(post, calendar, homes, people);
  const holdings = await holdHomes(post, calendar, applications);
  await fillReferences(post, people, applications);
  await decideApplications(post, calendar, people, applications);

  const tenancies = await signTenancies(post, calendar, homes, people, applications);
  await secureTenancies(post, calendar, tenancies, holdings);
  await breakDays(post, 'tenancies start');
  await liveInHomes(post, calendar, people, tenancies);
  await collectRent(post, calendar, tenancies);
  await breakDays(post, 'tenancies end');

  // Disabled, so that nothing is sent to a stranger.
  await post('endpoint', '/v1/webhook_endpoints', {
    url: 'https://example.org/tenure/webhooks',
    description: 'Letting back office',
    enabled_events: ['reference.*', 'application.*', 'tenancy.*'],
    status: 'disabled',
  });
}

/** Makes the changes of the days that have begun. Without it, they come within a minute. */
async function breakDays(post: Post, name: string): Promise<void> {
  await post(`day: ${name}`, '/v1/test_helpers/clock/advance', { seconds: 1 });
}

/** Returns the day of the agency's records. A run in the last 24 hours has set it, else it is today. */
async function readCalendar(url: string, key: string): Promise<{ day: string; calendar: Calendar }> {
  const get = async <Found>(path: string): Promise<Found> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`GET ${path} was refused with ${response.status}: ${await response.text()}`);
    return (await response.json()) as Found;
  };
  const { now } = await get<{ now: number }>('/v1/test_helpers/clock');
  const { time_zone: zone } = await get<{ time_zone: string }>('/v1/account');
  const { data } = await get<{ data: { metadata: Record<string, string> }[] }>(
    `/v1/buildings?limit=50&created[gt]=${now - idempotencySeconds}`,
  );
  // The newest comes first. A run after midnight must send what the run before midnight sent.
  const known = data.map(({ metadata }) => metadata['seeded_on']).find((found) => found !== undefined);
  const day = known ?? today(now, zone);
  const firstOfMonth = `${day.slice(0, 8)}01`;
  return {
    day,
    calendar: { daysFromNow: (days) => addDays(day, days), month: (months) => addMonths(firstOfMonth, months) },
  };
}

/** An idempotency key is stored this long. */
const idempotencySeconds = 86_400;

function postTo(url: string, key: string, day: string): Post {
  return async (name, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': `seed ${day} ${name}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const created = (await response.json()) as Body & { id: string; error?: { message: string } };
    if (!response.ok) throw new Error(`POST ${path} was refused with ${response.status}: ${created.error?.message}`);
    return created;
  };
}

async function revoke(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/api_keys?limit=50`, { headers });
  const { data } = (await response.json()) as { data: { id: string; last_four: string; status: string }[] };
  const own = data.find(({ last_four: end, status }) => status === 'active' && key.endsWith(end));
  if (own) await fetch(`${url}/v1/api_keys/${own.id}`, { method: 'DELETE', headers });
}

// A PostgreSQL that was started for it is stopped at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
