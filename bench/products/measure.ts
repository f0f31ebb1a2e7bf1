import { setTimeout as delay } from 'node:timers/promises';
import type { EventsOrder, EventsReport } from '../load/events.ts';
import { clockMs } from '../load/schedule.ts';
import type { Receiver } from '../receiver.ts';
import { percentile } from '../suite.ts';
import { processorMs } from './proc.ts';
import type { Product } from './product.ts';

/** The loads and pauses of the measurements. */
export interface Sizes {
  /** Clients that each send an event after the response to the last one. */
  clients: number;
  highPerSecond: number;
  lowPerSecond: number;
  warmUpSeconds: number;
  /** The duration of each load, except for that at the low rate. */
  seconds: number;
  lowSeconds: number;
  /** The pause before the idle time, and the idle time that is measured. */
  restSeconds: number;
  idleSeconds: number;
  /** Milliseconds after which an event that is not received counts as lost. A backlog of the sustained load may take a while. */
  receiptTimeoutMs: number;
}

/** A p99 needs several hundred events. */
const lowSecondsMin = 10;

export function sizesOf(seconds: number): Sizes {
  return {
    clients: 64,
    highPerSecond: 1_000,
    lowPerSecond: 50,
    warmUpSeconds: 10,
    seconds,
    lowSeconds: Math.max(lowSecondsMin, seconds),
    restSeconds: 10,
    idleSeconds: 20,
    receiptTimeoutMs: 100_000,
  };
}

export interface LoadFigures {
  /** Events that the load sent a second, and those that were received, until the last one. */
  sentPerSecond: number;
  receivedPerSecond: number;
  /** Not answered with 2xx. */
  failed: number;
  /** Accepted, but not received in time. */
  lost: number;
  /** The time from the response until the receiver has the event. A receipt before the response counts as 0. */
  p50Ms: number;
  p99Ms: number;
  /** The processor time of all processes for an event made and delivered, or the reason why it is unknown. */
  processorMs: number | string;
}

/** Milliseconds in which a product records what it delivered last. */
const recordMs = 500;

export async function measureLoad(
  { load, receiver, idPattern, pids }: Product,
  order: EventsOrder,
  { receiptTimeoutMs }: Sizes,
): Promise<LoadFigures> {
  await receiver.reset({ record: true, idPattern });
  const startedAtMs = clockMs();
  const beforeMs = attempt(() => processorMs(pids()));
  const { answers, sent, failed, firstFailure } = await load.run(order);
  if (answers.length === 0) throw new Error(`no event was accepted: ${firstFailure}`);
  const receivedAtMs = await untilReceived(receiver, answers, receiptTimeoutMs);
  await delay(recordMs);
  const afterMs = attempt(() => processorMs(pids()));
  const received = answers.filter(([id]) => receivedAtMs.has(id));
  if (received.length === 0) throw new Error('no event was received');
  const latenciesMs = received.map(([id, answeredAtMs]) => Math.max(0, receivedAtMs.get(id)! - answeredAtMs));
  const lastAtMs = received.reduce((latestMs, [id]) => Math.max(latestMs, receivedAtMs.get(id)!), 0);
  return {
    sentPerSecond: sent / order.seconds,
    receivedPerSecond: (1000 * received.length) / (lastAtMs - startedAtMs),
    failed,
    lost: answers.length - received.length,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    processorMs:
      typeof beforeMs === 'number' && typeof afterMs === 'number'
        ? (afterMs - beforeMs) / received.length
        : String(typeof beforeMs === 'string' ? beforeMs : afterMs),
  };
}

/** Measures the processor time of all processes without any request, in percent of one core. */
export async function measureIdle({ pids }: Product, { restSeconds, idleSeconds }: Sizes): Promise<number> {
  await delay(restSeconds * 1000);
  const [beforeMs, startedAtMs] = [processorMs(pids()), clockMs()];
  await delay(idleSeconds * 1000);
  return (100 * (processorMs(pids()) - beforeMs)) / (clockMs() - startedAtMs);
}

/** Milliseconds without reading before the kill, so that deliveries are under way and others wait, on any machine. */
const receiverPauseMs = 300;

/**
 * Kills the worker at the end of the high load, and starts it again at once. Measures the time from the kill until the receiver has the last
 * event that was accepted before.
 *
 * @throws if one of them is not received in time.
 */
export async function measureKill(
  { load, receiver, idPattern, restartWorker }: Product,
  { highPerSecond, seconds, receiptTimeoutMs }: Sizes,
): Promise<number> {
  if (restartWorker === null) throw new Error('no process is named as the worker');
  await receiver.reset({ record: true, idPattern });
  const killAtEnd = async (): Promise<number> => {
    await delay(seconds * 1000 - receiverPauseMs);
    receiver.pause();
    try {
      await delay(receiverPauseMs);
      return await restartWorker();
    } finally {
      receiver.resume();
    }
  };
  const [{ answers }, killedAtMs] = await Promise.all([
    load.run({ kind: 'at_rate', perSecond: highPerSecond, seconds, seed: 1 }),
    killAtEnd(),
  ]);
  const accepted = answers.filter(([, answeredAtMs]) => answeredAtMs < killedAtMs);
  if (accepted.length === 0) throw new Error('no event was accepted before the kill');
  const receivedAtMs = await untilReceived(receiver, accepted, receiptTimeoutMs);
  const lost = accepted.filter(([id]) => !receivedAtMs.has(id)).length;
  if (lost > 0) throw new Error(`${lost} of ${accepted.length} events not received in ${receiptTimeoutMs / 1000} s`);
  return accepted.reduce((longestMs, [id]) => Math.max(longestMs, receivedAtMs.get(id)! - killedAtMs), 0);
}

/** Waits until all of these events are received, and returns the time of each receipt. After the timeout, some may be missing. */
async function untilReceived(
  receiver: Receiver,
  events: EventsReport['answers'],
  timeoutMs: number,
): Promise<Map<string, number>> {
  const giveUpAtMs = clockMs() + timeoutMs;
  let count = events.length;
  for (;;) {
    const { receipts } = await receiver.untilReceived(count, Math.max(0, giveUpAtMs - clockMs()));
    const receivedAtMs = new Map(receipts);
    const missing = events.filter(([id]) => !receivedAtMs.has(id)).length;
    if (missing === 0 || clockMs() > giveUpAtMs) return receivedAtMs;
    // Events that were received, but not accepted, do not count.
    count = receipts.length + missing;
  }
}

/** Returns the value, or the reason why there is none. */
function attempt(measure: () => number): number | string {
  try {
    return measure();
  } catch (error) {
    return (error as Error).message;
  }
}
