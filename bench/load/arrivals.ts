import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';
import type { Deployment } from '../deployment.ts';
import { verify } from '../suite.ts';

export type ArrivalsOrder = { seed: number; seconds: number; warmUpSeconds: number } & (
  | { kind: 'at_rate'; perSecond: number; everySeconds: number; record: boolean }
  | { kind: 'as_fast_as'; clients: number }
);

export interface ArrivalsReport {
  /** The warm-up included. */
  sent: number;
  answered: number;
  failed: number;
  perSecond: number;
  /** Milliseconds from the moment a request was due, sent or not. They include the client's timer, which is a millisecond coarse. */
  p50Ms: number;
  p99Ms: number;
  mostMs: number;
  /** The time of the response for each created record, by the clock that all processes share. Empty unless requested. */
  answers: [recordId: string, answeredAtMs: number][];
}

/**
 * A client in its own process that sends requests when they are due, regardless of outstanding ones. A server that stalls cannot hide it.
 */
export interface Arrivals {
  /** Measures the requests a second of 64 clients that wait for responses. Shares refer to this maximum. */
  maximum(options: { seconds: number; warmUpSeconds?: number }): Promise<number>;
  atRate(
    perSecond: number,
    options: { seconds: number; warmUpSeconds?: number; record?: boolean },
  ): Promise<ArrivalsReport>;
  /** Runs at a rate for this long, and reports piece by piece without a pause. */
  each(
    perSecond: number,
    options: { seconds: number; everySeconds: number; onReport: (report: ArrivalsReport) => Promise<void> },
  ): Promise<void>;
  stop(): Promise<void>;
}

export type Requests = { method: 'POST'; body: string } | { method: 'GET'; idStart: string; idCount: number };

const clients = 64;
const program = fileURLToPath(new URL('arrivals-process.ts', import.meta.url));

export async function startArrivals(
  { logDir, secretKey }: Deployment,
  url: string,
  requests: Requests,
  seed: number,
): Promise<Arrivals> {
  const child = startChild(program, {
    name: `arrivals-${requests.method}`,
    logDir,
    env: {
      URL: url,
      METHOD: requests.method,
      AUTHORIZATION: `Bearer ${secretKey}`,
      ...(requests.method === 'POST'
        ? { BODY: requests.body }
        : { ID_START: requests.idStart, ID_COUNT: String(requests.idCount) }),
    },
  });
  await child.message();

  async function report(): Promise<ArrivalsReport> {
    const told = await child.message<ArrivalsReport>();
    verify(`${told.failed} of ${told.answered} requests failed`, told.failed === 0 && told.answered > 0);
    return told;
  }

  return {
    async maximum({ seconds, warmUpSeconds = 0 }) {
      const told = report();
      child.process.send({ kind: 'as_fast_as', clients, seed, seconds, warmUpSeconds } satisfies ArrivalsOrder);
      return (await told).perSecond;
    },
    async atRate(perSecond, { seconds, warmUpSeconds = 0, record = false }) {
      const told = report();
      const order = {
        kind: 'at_rate',
        seed,
        perSecond,
        seconds,
        warmUpSeconds,
        everySeconds: seconds,
        record,
      } as const;
      child.process.send(order satisfies ArrivalsOrder);
      return told;
    },
    async each(perSecond, { seconds, everySeconds, onReport }) {
      const order = {
        kind: 'at_rate',
        seed,
        perSecond,
        seconds,
        warmUpSeconds: 0,
        everySeconds,
        record: false,
      } as const;
      child.process.send(order satisfies ArrivalsOrder);
      for (let toldSeconds = 0; toldSeconds < seconds; toldSeconds += everySeconds) await onReport(await report());
    },
    stop: () => child.stop(),
  };
}
