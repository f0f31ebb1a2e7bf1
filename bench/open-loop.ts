import { emptyBaseline, fillBaseline, startBaseline } from './baseline-server.ts';
import { referenceCount, seedReferences } from './get.ts';
import { startArrivals, type Arrivals, type ArrivalsReport, type Requests } from './load/arrivals.ts';
import { requestBody } from './sample.ts';
import { inTurn, type Bench, type Figure, type Reading, type Suite } from './suite.ts';

const warmUpSeconds = 1;

/** The share of the maximum that the same server has just reached with waiting clients. */
const share = 0.7;

type Share = 'p50' | 'p99';
type Name = `${'post' | 'get'}.${Share}` | `${'post' | 'get'}AsBaseline.${Share}`;
type Reports = Record<'ours' | 'oursAsBaseline' | 'baseline', ArrivalsReport>;

/**
 * Measures response times from the moment each request was due, regardless of outstanding ones. The rates are the same share of each
 * server's maximum, and the baseline's rate.
 */
export const openLoop: Suite<Name> = {
  name: 'open_loop',
  figures: {
    'post.p50': figureOf('POST at 70 % of its maximum, p50'),
    'post.p99': figureOf('POST at 70 % of its maximum, p99', { floor: 50, aim: 30 }),
    'postAsBaseline.p50': figureOf(`POST at 70 % of the baseline's maximum, p50`),
    'postAsBaseline.p99': figureOf(`POST at 70 % of the baseline's maximum, p99`),
    'get.p50': figureOf('GET by id at 70 % of its maximum, p50'),
    'get.p99': figureOf('GET by id at 70 % of its maximum, p99'),
    'getAsBaseline.p50': figureOf(`GET by id at 70 % of the baseline's maximum, p50`),
    'getAsBaseline.p99': figureOf(`GET by id at 70 % of the baseline's maximum, p99`),
  },
  async round(bench, round) {
    const { deployment } = bench;
    await deployment.subscribe(0);
    const posts = await compare(bench, round, { method: 'POST', body: requestBody }, () => emptyBaseline(deployment));
    await emptyBaseline(deployment);
    const idStart = await seedReferences(bench);
    await fillBaseline(deployment, idStart, referenceCount);
    const reads = await compare(bench, round, { method: 'GET', idStart, idCount: referenceCount }, () =>
      deployment.database.query('checkpoint'),
    );
    return {
      'post.p50': readingOf(posts.ours, posts.baseline, 'p50'),
      'post.p99': readingOf(posts.ours, posts.baseline, 'p99'),
      'postAsBaseline.p50': readingOf(posts.oursAsBaseline, posts.baseline, 'p50'),
      'postAsBaseline.p99': readingOf(posts.oursAsBaseline, posts.baseline, 'p99'),
      'get.p50': readingOf(reads.ours, reads.baseline, 'p50'),
      'get.p99': readingOf(reads.ours, reads.baseline, 'p99'),
      'getAsBaseline.p50': readingOf(reads.oursAsBaseline, reads.baseline, 'p50'),
      'getAsBaseline.p99': readingOf(reads.oursAsBaseline, reads.baseline, 'p99'),
    };
  },
};

function figureOf(title: string, marks: { floor: number; aim: number } | null = null): Figure {
  return { title, unit: 'ms', better: 'less', floor: null, aim: null, ...marks, needs: [], besideUnit: 'ms' };
}

/**
 * Measures the maximum of both in turn, then the rates in turn, so that neither always follows the other's leftovers. Both run all the
 * time, and one of them is idle.
 *
 * @param clear removes what the load before has written, and makes PostgreSQL write out its buffers.
 */
async function compare(
  { deployment, seconds }: Bench,
  round: number,
  requests: Requests,
  clear: () => Promise<unknown>,
): Promise<Reports> {
  const ours = await deployment.startServer('api');
  const baseline = await startBaseline(deployment, 'api');

  async function load<Result>(url: string, run: (client: Arrivals) => Promise<Result>): Promise<Result> {
    await clear();
    const client = await startArrivals(deployment, url, requests, round);
    const result = await run(client);
    await client.stop();
    return result;
  }

  const maximumOf = (url: string) => () => load(url, (client) => client.maximum({ seconds, warmUpSeconds }));
  const maximum = await inTurn(round, { ours: maximumOf(ours.url), baseline: maximumOf(baseline.url) });
  const reports: Partial<Reports> = {};
  const atShareOf = (name: keyof Reports, url: string, perSecond: number) => async (): Promise<number> => {
    const report = await load(url, (client) => client.atRate(perSecond * share, { seconds, warmUpSeconds }));
    reports[name] = report;
    return report.perSecond;
  };
  await inTurn(round, {
    ours: atShareOf('ours', ours.url, maximum.ours),
    oursAsBaseline: atShareOf('oursAsBaseline', ours.url, maximum.baseline),
    baseline: atShareOf('baseline', baseline.url, maximum.baseline),
  });
  await ours.stop();
  await baseline.stop();
  return reports as Reports;
}

function readingOf(ours: ArrivalsReport, baseline: ArrivalsReport, which: Share): Reading {
  const [oursMs, baselineMs] = [ours[`${which}Ms`], baseline[`${which}Ms`]];
  const atPerSecond = { ours: ours.perSecond, baseline: baseline.perSecond };
  return { value: oursMs, ours: oursMs, baseline: baselineMs, atPerSecond };
}
