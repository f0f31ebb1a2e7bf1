import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { eventIdPlace, type EventRequest, type EventsOrder, type EventsReport } from './events.ts';
import { arrivalTimesMs, clockMs, randomOf } from './schedule.ts';

/*
 * A client that makes events by any product's API. Each event has an id of its own. A refused or broken request counts as failed, and the
 * client continues.
 */

const connections = 256;

/** Milliseconds. A product that does not answer must not hold up the run. */
const answerTimeoutMs = 30_000;

const { path, headers, body }: EventRequest = JSON.parse(process.env.REQUEST!) as EventRequest;
const pieces = body.split(eventIdPlace);
const client = new Pool(process.env.URL!, {
  connections,
  headersTimeout: answerTimeoutMs,
  bodyTimeout: answerTimeoutMs,
});

let events = 0;
let report: EventsReport = nothing();

function nothing(): EventsReport {
  return { sent: 0, failed: 0, firstFailure: null, answers: [] };
}

async function send(): Promise<void> {
  const id = `bench_${process.pid}_${++events}`;
  report.sent++;
  try {
    const response = await client.request({ method: 'POST', path, headers, body: pieces.join(id) });
    const text = await response.body.text();
    if (response.statusCode >= 200 && response.statusCode < 300) report.answers.push([id, clockMs()]);
    else fail(`${response.statusCode} ${text.slice(0, 300)}`);
  } catch (error) {
    fail(String(error));
  }
}

function fail(reason: string): void {
  report.failed++;
  report.firstFailure ??= reason;
}

/** Makes independent arrivals, at this average rate a second, regardless of outstanding ones. */
async function atRate({ perSecond, seconds, seed }: EventsOrder & { kind: 'at_rate' }): Promise<void> {
  const startedAtMs = clockMs();
  const sent: Promise<void>[] = [];
  for await (const _ of arrivalTimesMs({
    perSecond,
    startedAtMs,
    endsAtMs: startedAtMs + seconds * 1000,
    random: randomOf(seed),
  })) {
    sent.push(send());
  }
  await Promise.all(sent);
}

/** Runs this many clients. Each sends its next request after the last response. */
async function asFastAs({ clients, seconds }: EventsOrder & { kind: 'as_fast_as' }): Promise<void> {
  const endsAtMs = clockMs() + seconds * 1000;
  const clientOf = async (): Promise<void> => {
    while (clockMs() < endsAtMs) {
      const failedBefore = report.failed;
      await send();
      // A product that refuses everything is not asked in a tight loop.
      if (report.failed > failedBefore) await delay(10);
    }
  };
  await Promise.all(Array.from({ length: clients }, clientOf));
}

process.on('message', (order: EventsOrder) => {
  report = nothing();
  void (order.kind === 'at_rate' ? atRate(order) : asFastAs(order)).then(() => process.send!(report));
});
process.on('disconnect', () => process.exit(0));
process.send!({});
