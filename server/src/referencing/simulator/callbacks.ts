import { callBack, callbackPausesMs, startCalling, type Caller } from '../../external-services/simulated.ts';
import type { Provider } from '../../core/vocabulary/providers.ts';
import { nextStepAtMs, standingOf, stepsOf } from './order.ts';
import { claimToTell, release, type ToTell } from './orders.ts';
import type { ServiceContext } from './service.ts';
import type { CallbackContent, Vendor } from './vendor.ts';

/** Milliseconds. All calls about one order take less, even if all steps are due at once. */
const claimMs = 120_000;
const claimedAtOnce = 20;

/** Sends callbacks about orders to their customers. Several processes share the work. */
export function startCallbacks(vendors: readonly Vendor[], context: ServiceContext): Caller {
  const calling = new Map(vendors.filter(({ callback }) => callback).map((vendor) => [vendor.provider, vendor]));
  return startCalling((stopping) => tellAll(calling, context, stopping), context.log);
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
    isTaken &&= await callBack(toTell.callbackUrl, headers, body, stopping);
  }
  const pauseMs = callbackPausesMs[attempts];
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
