import { grownTo, sizes, stopGrown, type Grown, type Size } from './grown.ts';
import { runLoad } from './load/wrk.ts';
import { claimerOf } from './parked.ts';
import { requestBody } from './sample.ts';
import { median, ratio, verify, type Bench, type Figure, type Reading, type Suite } from './suite.ts';

const warmUpSeconds = 1;

/** Records that are requested, at random places among all. */
const idCount = 1_000;

const dueCount = 1_000;
const claims = 100;
const warmUpClaims = 20;

type What = 'post' | 'get' | 'list' | 'claim';
type Measured = Record<What, number>;

const larger = { middle: '100,000', large: 'a million' } as const;
type Larger = keyof typeof larger;

/** Measures the cost of the same requests with a thousand, 100,000 and a million events, references and logs each. */
export const growth: Suite = {
  name: 'growth',
  // A database that has grown cannot be measured small again.
  roundsMax: 1,
  figures: {
    ...figuresOf('post', 'POST', 'more'),
    ...figuresOf('get', 'GET by id', 'more'),
    ...figuresOf('list', 'A list of 20', 'more'),
    ...figuresOf('claim', 'A claim of deliveries, p50,', 'less'),
  },
  async round(bench) {
    const small = await measure(bench, 'small');
    const readings: Record<string, Reading> = {};
    for (const size of Object.keys(larger) as Larger[]) {
      const grown = await measure(bench, size);
      for (const what of Object.keys(grown) as What[]) readings[`${what}_${size}`] = ratio(grown[what], small[what]);
    }
    return readings;
  },
  stop: stopGrown,
};

function figuresOf(what: What, title: string, better: 'more' | 'less'): Record<string, Figure> {
  const figureOf = (size: Larger): Figure => ({
    title: `${title} with ${larger[size]} references, events and logs, against a thousand of each`,
    unit: 'times',
    better,
    floor: null,
    aim: null,
    needs: ['wrk'],
    besideUnit: better === 'less' ? 'ms' : '/s',
  });
  return { [`${what}_middle`]: figureOf('middle'), [`${what}_large`]: figureOf('large') };
}

async function measure({ tools, seconds }: Bench, size: Size): Promise<Measured> {
  const grown = await grownTo(size);
  const { deployment, accounts } = grown;
  const account = accounts[size];
  const { rows } = await deployment.database.query<{ id: string }>(
    `select id from tenant_references where account_id = $1 order by md5(id) limit $2`,
    [account, idCount],
  );
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}` };
  const reads = { ...env, CONTEXT: account };
  const server = await deployment.startServer('api');
  const rate = async (script: 'post' | 'get' | 'path', scriptEnv: Record<string, string>): Promise<number> => {
    await runLoad(tools.wrk!, script, server.url, { seconds: warmUpSeconds, env: scriptEnv });
    return (await runLoad(tools.wrk!, script, server.url, { seconds, env: scriptEnv })).requestsPerSecond;
  };
  try {
    return {
      get: await rate('get', { ...reads, IDS: rows.map(({ id }) => id).join(',') }),
      list: await rate('path', { ...reads, URL_PATH: '/v1/references?limit=20' }),
      // In the parent, so that the other accounts keep their sizes.
      post: await rate('post', { ...env, BODY: requestBody }),
      claim: await claimMs(grown, size),
    };
  } finally {
    await server.stop();
  }
}

/** Claims deliveries of events at random places among the account's, and undoes each claim. */
async function claimMs({ deployment, accounts }: Grown, size: Size): Promise<number> {
  const { database } = deployment;
  const queued = await database.query(
    `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
     select account_id, 'dlv_' || substr(id, 5), id, 'we_growth', 0
     from (select * from events where account_id = $1 order by md5(id) limit $2) wanted`,
    [accounts[size], dueCount],
  );
  verify(`${queued.rowCount} of ${dueCount} are due`, queued.rowCount === Math.min(dueCount, sizes[size]));
  const claimer = await claimerOf(deployment, 'public');
  const timesMs: number[] = [];
  for (let claim = -warmUpClaims; claim < claims; claim++) {
    const ms = await claimer.claim();
    if (claim >= 0) timesMs.push(ms);
  }
  await claimer.end();
  await database.query('truncate webhook_queue');
  return median(timesMs);
}
