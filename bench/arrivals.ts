import { emptyBaseline, fillBaseline, startBaseline } from './baseline-server.ts';
import type { Server } from './deployment.ts';
import { referenceCount, seedReferences } from './get.ts';
import { startArrivals, type ArrivalsReport, type Requests } from './load/arrivals.ts';
import { requestBody } from './sample.ts';
import type { Bench, Figure, Reading, Suite } from './suite.ts';

const warmUpSeconds = 1;

/** Of what the same server has just answered to clients that wait. */
const share = 0.7;

type Share = 'p50' | 'p99';
type Name = `${'post' | 'get'}.${Share}` | `${'post' | 'get'}AsBaseline.${Share}`;

/**
 * How long answers take when requests come whatever is outstanding, counted from the moment each was due: at the same share of what
 * each can do, and at the rate of the baseline.
 */
export const arrivals: Suite<Name> = {
  name: 'arrivals',
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
    await emptyBaseline(deployment);
    await deployment.subscribe(0);
    const posts = await compare(bench, { method: 'POST', body: requestBody }, round);
    const idStart = await seedReferences(bench);
    await fillBaseline(deployment, idStart, referenceCount);
    const reads = await compare(bench, { method: 'GET', idStart, idCount: referenceCount }, round);
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

async function compare(
  { deployment, seconds }: Bench,
  requests: Requests,
  seed: number,
): Promise<Record<'ours' | 'oursAsBaseline' | 'baseline', ArrivalsReport>> {
  /** At a share of its own maximum, and at each of the others. */
  async function measure(server: Server, others: number[]): Promise<ArrivalsReport[]> {
    const client = await startArrivals(deployment, server.url, requests, seed);
    const maximum = await client.maximum({ seconds, warmUpSeconds });
    const reports: ArrivalsReport[] = [];
    for (const perSecond of [maximum * share, ...others]) {
      reports.push(await client.atRate(perSecond, { seconds, warmUpSeconds }));
    }
    await client.stop();
    await server.stop();
    return reports;
  }

  const [baseline] = await measure(await startBaseline(deployment, 'api'), []);
  const server = await deployment.startServer('api');
  const [ours, oursAsBaseline] = await measure(server, [baseline!.perSecond]);
  return { ours: ours!, oursAsBaseline: oursAsBaseline!, baseline: baseline! };
}

function readingOf(ours: ArrivalsReport, baseline: ArrivalsReport, which: Share): Reading {
  const [oursMs, baselineMs] = [ours[`${which}Ms`], baseline[`${which}Ms`]];
  const atPerSecond = { ours: ours.perSecond, baseline: baseline.perSecond };
  return { value: oursMs, ours: oursMs, baseline: baselineMs, atPerSecond };
}
