import { runLoad, type LoadResult } from './load/wrk.ts';
import { requestBody } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const warmUpSeconds = 1;

/** More than the purge can delete while it is measured: it uses a tenth of the time. */
const expiredCount = 200_000;

/** What an Idempotency-Key costs, and what it costs others that old keys are deleted. */
export const idempotency: Suite<'keyed' | 'purging' | 'purgingP99'> = {
  name: 'idempotency',
  figures: {
    keyed: {
      title: 'POST with a key, against POST without',
      unit: 'times',
      better: 'more',
      floor: 0.85,
      aim: 0.95,
      needs: ['wrk'],
    },
    purging: {
      title: 'POST while 200,000 old keys are deleted, against POST with none',
      unit: 'times',
      better: 'more',
      floor: 0.9,
      aim: null,
      needs: ['wrk'],
    },
    purgingP99: {
      title: 'the same, p99',
      unit: 'times',
      better: 'less',
      floor: 1.25,
      aim: null,
      needs: ['wrk'],
    },
  },
  async round(bench, round) {
    const loads: Partial<Record<'keyed' | 'plain' | 'purging', LoadResult>> = {};
    const run = (name: keyof typeof loads, measure: () => Promise<LoadResult>) => async (): Promise<number> => {
      loads[name] = await measure();
      return loads[name].requestsPerSecond;
    };
    const perSecond = await inTurn(round, {
      plain: run('plain', () => post(bench, { KEYS: 'none' })),
      keyed: run('keyed', () => post(bench, {})),
      purging: run('purging', () => post(bench, {}, expiredCount)),
    });
    return {
      keyed: ratio(perSecond.keyed, perSecond.plain),
      purging: ratio(perSecond.purging, perSecond.keyed),
      purgingP99: { value: loads.purging!.p99Ms / loads.keyed!.p99Ms },
    };
  },
};

/** Loads a server that was just started: its purge begins at once. */
async function post({ deployment, tools, seconds }: Bench, keys: { KEYS?: string }, expired = 0): Promise<LoadResult> {
  const { database, accountId } = deployment;
  await deployment.subscribe(0);
  await deployment.empty();
  await database.query(
    `insert into idempotency_keys (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms)
     select $1, $1, gen_random_uuid()::text, '-', 'req_' || lpad(number::text, 22, '0'), number
     from generate_series(1, $2::integer) number`,
    [accountId, expired],
  );
  await database.query('vacuum analyze idempotency_keys');
  const server = await deployment.startServer('api');
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody, ...keys };
  await runLoad(tools.wrk!, 'post', server.url, { seconds: warmUpSeconds, env });
  const load = await runLoad(tools.wrk!, 'post', server.url, { seconds, env });
  const { rows } = await database.query<{ left: string }>(
    `select count(*) as left from idempotency_keys where fingerprint = '-'`,
  );
  await server.stop();
  const left = Number(rows[0]!.left);
  verify(`${left} of ${expired} old keys are left`, expired === 0 || (left > 0 && left < expired));
  return load;
}
