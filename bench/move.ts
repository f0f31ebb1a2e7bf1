import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newMasterKey } from '../server/src/server/config.ts';
import { projectDir, startDeployment, type Deployment, type Server } from './deployment.ts';
import { startArrivals } from './load/arrivals.ts';
import { requestBody } from './sample.ts';
import { run } from './tools.ts';

const help = `npm run move-bench -- [options]

Moves an account with many references between two cells, while clients make more. Checks that each answered reference is in the target
once, and prints for how long the account was in neither cell. Ends with 1 if one is lost or doubled, or if the gate took over 2 seconds.

  --references N   references before the move (10000)
  --rate N         POSTs a second meanwhile (200)
`;

const gateMostSeconds = 2;
const fillSeconds = 10;
const restMs = 5_000;
const retryMs = 200;
const moveTimeoutMs = 30 * 60_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      references: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '200' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const settings = { TENURE_MASTER_KEY: newMasterKey(), TENURE_RATE_LIMIT: '0' };
  const source = await startDeployment(null, settings);
  const target = await startDeployment(null, settings);
  const command = (deployment: Deployment, args: string[]): Promise<string> =>
    run(process.execPath, [join(projectDir, 'server/src/commands/move-account.ts'), ...args], {
      env: { ...settings, DATABASE_URL: deployment.databaseUrl },
      timeoutMs: moveTimeoutMs,
    });
  await target.database.query(`set application_name = 'bench'`);
  await command(target, ['--raise-epoch', '2']);
  const from = await source.startServer('all');
  const to = await target.startServer('all');
  const filled = await fill(source, from.url, Number(values.references));
  const clients = new Clients(source.secretKey, from);
  const load = clients.run(Number(values.rate));
  await delay(restMs);
  const printed = await command(source, [source.accountId, '--to', target.databaseUrl, '--cell', 'eu2']);
  clients.server = to;
  process.stdout.write(printed);
  await delay(restMs);
  clients.stop();
  await load;
  await target.settle();
  const gateSeconds = Number(/closed for ([\d.]+) s/.exec(printed)?.[1]);
  const { count, lost } = await compare(target, source.accountId, clients.ids);
  const wanted = filled + clients.ids.length;
  process.stdout.write(
    `${wanted} references were answered, and ${count} are in the target. ${lost} of those during the move are lost.\n` +
      `${clients.refused} requests got 503, and ${clients.throttled} got 429. They were retried. Other failures: ${clients.failures.join(', ') || 'none'}.\n`,
  );
  if (count !== wanted || lost > 0 || clients.failures.length > 0 || !(gateSeconds <= gateMostSeconds))
    process.exitCode = 1;
  for (const started of [from, to, source, target]) await started.stop();
}

/** Makes references until there are enough. Returns their number. */
async function fill(source: Deployment, url: string, references: number): Promise<number> {
  const arrivals = await startArrivals(source, url, { method: 'POST', body: requestBody }, 1);
  for (;;) {
    await arrivals.maximum({ seconds: fillSeconds });
    await source.settle();
    const { count } = await compare(source, source.accountId, []);
    process.stdout.write(`${count} references\n`);
    if (count < references) continue;
    await arrivals.stop();
    return count;
  }
}

async function compare(
  { database }: Deployment,
  accountId: string,
  ids: readonly string[],
): Promise<{ count: number; lost: number }> {
  const { rows } = await database.query<{ count: number; lost: number }>(
    `select
       (select count(*)::integer from tenant_references where account_id = $1) as count,
       (
         select count(*)::integer
         from unnest($2::text[]) as answered (id)
         where not exists (
           select from tenant_references known where known.account_id = $1 and known.id = answered.id
         )
       ) as lost`,
    [accountId, ids],
  );
  return rows[0]!;
}

/** Sends requests at a rate. Each is retried with its key until it is answered, as clients retry a 503. */
class Clients {
  readonly ids: string[] = [];
  readonly failures: string[] = [];
  refused = 0;
  throttled = 0;
  server: Server;
  readonly #key: string;
  #hasStopped = false;

  constructor(key: string, server: Server) {
    this.#key = key;
    this.server = server;
  }

  stop(): void {
    this.#hasStopped = true;
  }

  async run(perSecond: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startedMs = performance.now();
    for (let number = 0; !this.#hasStopped; number++) {
      await delay(Math.max(0, startedMs + (number * 1000) / perSecond - performance.now()));
      const sent = this.#send(randomUUID());
      underWay.add(sent);
      void sent.finally(() => underWay.delete(sent));
    }
    await Promise.all(underWay);
  }

  async #send(idempotencyKey: string): Promise<void> {
    for (;;) {
      const response = await fetch(`${this.server.url}/v1/references`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: requestBody,
      });
      const body = (await response.json()) as { id: string };
      if (response.status === 200) return void this.ids.push(body.id);
      if (response.status === 503) this.refused++;
      // A busy machine cannot keep the rate.
      else if (response.status === 429) this.throttled++;
      else return void this.failures.push(String(response.status));
      await delay(retryMs);
    }
  }
}

await main();
