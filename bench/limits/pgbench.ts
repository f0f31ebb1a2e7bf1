import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from '../deployment.ts';
import { run } from '../tools.ts';
import { verify } from '../suite.ts';

/** The embedded database has room for 50. */
export const pgbenchClients = [8, 16, 40] as const;

interface PgbenchRun {
  clients: number;
  seconds: number;
}

/** Calls the function as often as PostgreSQL can, in one transaction each. Returns the calls a second. */
export async function runPgbench(pgbench: string, deployment: Deployment, options: PgbenchRun): Promise<number> {
  const { database } = deployment;
  await deployment.empty();
  const { transactions, perSecond } = await runStatement(
    pgbench,
    deployment,
    'select bench_post_reference();',
    options,
  );
  const { rows } = await database.query<{ written: string; deliveries: string }>(
    `select (select count(*) from tenant_references) as written, (select count(*) from webhook_queue) as deliveries`,
  );
  const written = Number(rows[0]!.written);
  verify(`pgbench told of ${transactions} transactions and wrote ${written} references`, written === transactions);
  verify('pgbench made two deliveries each', Number(rows[0]!.deliveries) === 2 * written);
  return perSecond;
}

/** Makes pgbench execute one prepared statement as often as it can. */
export async function runStatement(
  pgbench: string,
  { database, logDir }: Deployment,
  statement: string,
  { clients, seconds }: PgbenchRun,
): Promise<{ transactions: number; perSecond: number }> {
  const script = join(logDir, 'statement.sql');
  writeFileSync(script, `${statement}\n`);
  const { host, port, user } = database;
  const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), '-f', script];
  const output = await run(
    pgbench,
    ['-h', host, '-p', String(port), '-U', user ?? 'postgres', ...options, database.database!],
    { timeoutMs: (seconds + 30) * 1000 },
  );
  const transactions = Number(/number of transactions actually processed: (\d+)/.exec(output)?.[1]);
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  return { transactions, perSecond };
}
