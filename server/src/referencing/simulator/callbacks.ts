import type { Provider } from '../../core/providers.ts';
import { nextStepAtMs, standingOf, stepsOf } from './order.ts';
import { claimToTell, release, type ToTell } from './orders.ts';
import type { ServiceContext } from './service.ts';
import type { CallbackContent, Vendor } from './vendor.ts';

/** Milliseconds between looks for due callbacks. When no service was called for a minute, looks are rarer, because an idle server costs. */
const lookEveryMs = 250;
const lookWhenQuietEveryMs = 1_000;
const quietAfterMs = 60_000;

const callTimeoutMs = 5_000;

/** Milliseconds. All calls about one order take less, even if all steps are due at once. */
const claimMs = 120_000;
const claimedAtOnce = 20;

/** Milliseconds after each failure. After the last one the service gives up, and its customer has to poll. */
const pausesMs = [1_000, 5_000, 15_000, 60_000];

export interface Caller {
  /** Notes that a service was called, so that callbacks may be due soon. */
  noteUse(): void;
  /** Waits for the calls under way, which have a timeout. */
  stop(): Promise<void>;
}

/** Sends callbacks about orders to their customers. Several processes share the work. */
export function startCalling(vendors: readonly Vendor[], context: ServiceContext): Caller {
  const calling = new Map(vendors.filter(({ callback }) => callback).map((vendor) => [vendor.provider, vendor]));
  const stopping = new AbortController();
  let round: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let usedAtMs = performance.now();
  let lookedAtMs = -Infinity;
  const noteUse = (): void => {
    usedAtMs = performance.now();
  };
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const isQuiet = nowMs - usedAtMs > quietAfterMs;
    if (isRunning || (isQuiet && nowMs - lookedAtMs < lookWhenQuietEveryMs)) return;
    isRunning = true;
    lookedAtMs = nowMs;
    round = tellAll(calling, context, stopping.signal)
      .then((told) => told > 0 && noteUse())
      .catch((error: unknown) => context.log.warn({ err: error }, 'simulated services could not send callbacks'))
      .finally(() => {
        isRunning = false;
      });
  }, lookEveryMs);
  return {
    noteUse,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await round;
    },
  };
}

/** Sends the callbacks that are due, and returns their number. */
async function tellAll(
  vendors: ReadonlyMap<Provider, Vendor>,
  context: ServiceContext,
  stopping: AbortSignal,
): Promise<number> {
  const nowMs = context.clock.nowMs();
  const claimed = await claimToTell(context.pool, {
    providers: [...vendors.keys()],
    nowMs,
    untilMs: nowMs + claimMs,
    max: claimedAtOnce,
  });
  await Promise.all(claimed.map((toTell) => tell(vendors.get(toTell.order.provider)!, toTell, context, stopping)));
  return claimed.length;
}

async function tell(vendor: Vendor, toTell: ToTell, context: ServiceContext, stopping: AbortSignal): Promise<void> {
  const { pool, encryption, clock, realClock } = context;
  const { order, reportedSteps, attempts } = toTell;
  const nowMs = clock.nowMs();
  const secret = encryption.decrypt(toTell.callbackSecret);
  const reached = standingOf(order, nowMs).steps;
  let isTaken = true;
  for (const content of callbacksFor(vendor, toTell, nowMs)) {
    const { headers, body } = vendor.callback!.request(content, secret, realClock.nowMs());
    isTaken &&= await call(toTell.callbackUrl, headers, body, stopping);
  }
  const pauseMs = pausesMs[attempts];
  const next =
    isTaken || pauseMs === undefined
      ? { reportedSteps: reached, tellAtMs: nextStepAtMs(order, nowMs), attempts: 0 }
      : { reportedSteps, tellAtMs: nowMs + pauseMs, attempts: attempts + 1 };
  await release(pool, toTell, next);
}

/** Returns the steps to report. If there are none, a helper has changed something, and the present step is reported. */
function callbacksFor(vendor: Vendor, { order, reportedSteps }: ToTell, nowMs: number): CallbackContent[] {
  const { phase, steps: reached } = standingOf(order, nowMs);
  if (phase === 'canceled') return [{ order, phase, step: reached }];
  const steps = stepsOf(order);
  const from = Math.min(reportedSteps, reached);
  const numbers = vendor.callback!.stepsToTell(from, reached, steps.length);
  return (numbers.length > 0 ? numbers : [reached]).map((step) => ({ order, phase: steps[step - 1]!.phase, step }));
}

/** Tells whether the customer has accepted the call. */
async function call(
  url: string,
  headers: Record<string, string>,
  body: string,
  stopping: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(callTimeoutMs), stopping]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
