import type { Provider } from '../../core/vocabulary/providers.ts';
import { readScript, type Failure, type Finding, type ProblemName } from '../../core/vocabulary/simulation-script.ts';

/** An order as a simulated service stores it. It has no personal data. */
export interface SimulatedOrder {
  provider: Provider;
  /** The customer's id. The service makes only one order for it. */
  referenceId: string;
  /** The service's own id. */
  orderId: string;
  script: string;
  /** Identifies the address of the applicant. Null if there is none. */
  contact: string | null;
  hasGuarantor: boolean;
  rent: Rent | null;
  workingDayMs: number;
  /** The time when work began; null until an ordering call succeeds. */
  placedAtMs: number | null;
  canceledAtMs: number | null;
  /** Calls about this order, the present one included. */
  calls: number;
  forced: Forced;
  /** The findings that the customer has been told, the oldest first. */
  disclosed: Disclosure[];
}

/** Records when a finding was first told to the customer. */
export interface Disclosure {
  atMs: number;
  /** The number of jumps that test helpers had made by then. */
  jumps: number;
}

export interface Rent {
  amount: number;
  currency: string;
  interval: 'week' | 'month' | 'year';
}

/** The changes of test helpers. */
export interface Forced {
  /** Times at which some work was done at once, the oldest first. */
  jumps: { atMs: number; byMs: number }[];
  notes: { atMs: number; message: string }[];
  /** Replaces the script's finding. */
  outcome: Finding | null;
  /** How every call fails. */
  failure: Failure | null;
  /** Whether the script's own failures are over. */
  lifted: boolean;
}

export const nothingForced: Forced = { jumps: [], notes: [], outcome: null, failure: null, lifted: false };

export type Phase = 'queued' | 'invited' | 'in_progress' | 'awaiting_referee' | 'in_review' | 'done' | 'canceled';

/** The state of an order at a time. */
export interface Standing {
  phase: Phase;
  percent: number;
  problem: Problem | null;
  /** The finding; null until the order is done. */
  finding: Finding | null;
  notes: { atMs: number; message: string }[];
  /** The number of steps it has taken. */
  steps: number;
}

export interface Problem {
  code: ProblemName;
  message: string;
}

/** One step of an order. */
export interface Step {
  /** In working time since work began, or since the customer was told the finding that this step corrects. */
  offsetMs: number;
  /** The index of the finding that this step corrects; null if it corrects none. */
  corrects: number | null;
  phase: Phase;
  percent: number;
  note: string | null;
  problem: Problem | null;
  finding: Finding | null;
}

/** How a call fails that should get a response. */
export type CallFault =
  | { kind: 'silence' }
  | { kind: 'garbage' }
  | { kind: 'error' }
  | { kind: 'busy'; retryAfterSeconds: number }
  | { kind: 'refusal'; code: string; message: string };

/** Working days. No test waits this long, but `advance` still gets there. */
const neverDays = 10_000_000;

/** The days of each service, without any trouble. */
const personalities: Readonly<Record<Provider, readonly (readonly [days: number, phase: Phase, percent: number])[]>> = {
  provider_a: [
    [0, 'queued', 0],
    [1 / 6, 'invited', 10],
    [2 / 6, 'in_progress', 25],
    [3 / 6, 'in_progress', 50],
    [4 / 6, 'awaiting_referee', 75],
    [5 / 6, 'in_review', 90],
    [1, 'done', 100],
  ],
  provider_b: [[0, 'done', 100]],
  provider_c: [
    [0, 'invited', 10],
    [0.5, 'in_progress', 30],
    [1, 'awaiting_referee', 60],
    [2, 'in_review', 80],
    [3, 'done', 100],
  ],
  provider_d: [
    [0, 'queued', 0],
    [0.25, 'in_progress', 40],
    [0.75, 'in_review', 80],
    [1, 'done', 100],
  ],
};

const phaseNotes: Readonly<Record<Phase, string | null>> = {
  queued: 'The order has come in.',
  invited: 'The renter was invited to tell about themselves.',
  in_progress: 'The details of the renter are being checked.',
  awaiting_referee: 'The employer and the former landlord were asked.',
  in_review: 'An assessor looks at what was found.',
  done: 'The check is done.',
  canceled: null,
};

/** The note of a second step of the same kind. */
const furtherNote = 'The income is being compared with the rent.';

const correctedNote = 'The check was opened again, and its result has changed.';

const problemMessages: Readonly<Record<ProblemName, string>> = {
  invite_bounced: 'The invitation could not be delivered to the e-mail address of the renter.',
  renter_declined: 'The renter does not want to be checked.',
  renter_expired: 'The renter did not answer the invitation in time.',
};

/** Working days on which a silent referee is asked. On the seventh the check is closed without them. */
const silentDays = 7;

/** Returns all steps of an order in sequence. The last step is its end. */
export function stepsOf(order: SimulatedOrder): Step[] {
  const script = readScript(order.script);
  const isEndless = script.findings.length === 0 && order.forced.outcome === null;
  const ends = order.forced.outcome ? [order.forced.outcome] : isEndless ? (['accept'] as const) : script.findings;
  const steps: Step[] = [];
  const add = (days: number, step: Partial<Step> & Pick<Step, 'phase' | 'percent'>): void => {
    const offsetMs = Math.round(days * order.workingDayMs);
    steps.push({ offsetMs, corrects: null, note: phaseNotes[step.phase], problem: null, finding: null, ...step });
  };

  let days = 0;
  const lasts = (index: number): number => (isEndless && index === script.obstacles.length - 1 ? neverDays : 1);
  let stuckDays = 0;
  for (const [index, obstacle] of script.obstacles.entries()) {
    if (obstacle === 'stuck') {
      stuckDays += lasts(index);
      continue;
    }
    const message = problemMessages[obstacle];
    add(days, { phase: 'invited', percent: 0, note: message, problem: { code: obstacle, message } });
    days += lasts(index);
  }

  const work = personalities[order.provider];
  const [doneDays] = work.at(-1)!;
  const [first] = ends;
  const isSilent = first === 'referee_silent';
  for (const [atDays, phase, percent] of work.slice(0, -1)) {
    if (isSilent && phase === 'in_review') continue;
    // A renter is not queued again after an invitation.
    if (phase === 'queued' && days > 0) add(days + atDays, { phase: 'invited', percent });
    else if (phase === steps.at(-1)?.phase) add(days + atDays, { phase, percent, note: furtherNote });
    else add(days + atDays, { phase, percent });
  }
  if (isSilent) {
    // Here even a service without referees asks one.
    const [askedDays, , percent] = work.find(([, phase]) => phase === 'awaiting_referee') ?? work.at(-2) ?? [0, '', 50];
    if (!work.some(([, phase]) => phase === 'awaiting_referee'))
      add(days + askedDays, { phase: 'awaiting_referee', percent });
    for (let day = Math.floor(askedDays) + 1; day < silentDays; day++)
      add(days + day, { phase: 'awaiting_referee', percent, note: `The employer was asked again on day ${day}.` });
  } else if (work.length === 1 && (stuckDays > 0 || first === 'sanctions_review')) {
    add(days, { phase: 'in_review', percent: 50 });
  }
  days += (isSilent ? silentDays : doneDays + (first === 'sanctions_review' ? 1 : 0)) + stuckDays;
  for (const [index, finding] of ends.entries()) {
    if (index === 0) add(days, { phase: 'done', percent: 100, finding });
    else add(1, { phase: 'done', percent: 100, corrects: index - 1, note: correctedNote, finding });
  }
  return steps;
}

/** Returns the state of the order at a time. Later states are never behind earlier ones. */
export function standingOf(order: SimulatedOrder, nowMs: number): Standing {
  const untilMs = Math.min(nowMs, order.canceledAtMs ?? nowMs);
  const steps = stepsOf(order);
  const reached = steps.filter((step) => timeOfStep(order, step) <= untilMs);
  const last = reached.at(-1) ?? { phase: 'queued', percent: 0, problem: null, finding: null };
  const notes = reached.flatMap((step) =>
    step.note === null ? [] : [{ atMs: timeOfStep(order, step), message: step.note }],
  );
  const isCanceled = order.canceledAtMs !== null && order.canceledAtMs <= nowMs && last.phase !== 'done';
  return {
    phase: isCanceled ? 'canceled' : last.phase,
    percent: last.percent,
    problem: isCanceled ? null : last.problem,
    finding: last.finding,
    notes: [...notes, ...order.forced.notes.filter(({ atMs }) => atMs <= nowMs)].toSorted(
      (one, other) => one.atMs - other.atMs,
    ),
    steps: reached.length,
  };
}

/** Returns the time of the next step, or null if none follows or nothing has begun. */
export function nextStepAtMs(order: SimulatedOrder, nowMs: number): number | null {
  if (order.placedAtMs === null || order.canceledAtMs !== null) return null;
  const next = stepsOf(order)[standingOf(order, nowMs).steps];
  const nextMs = next ? timeOfStep(order, next) : Infinity;
  return nextMs === Infinity ? null : nextMs;
}

/** Returns the disclosures after the customer is told the order's state, or null if that has no new finding. */
export function disclose(order: SimulatedOrder, nowMs: number): Disclosure[] | null {
  const next = findingSteps(order)[order.disclosed.length];
  if (!next || timeOfStep(order, next) > Math.min(nowMs, order.canceledAtMs ?? nowMs)) return null;
  return [...order.disclosed, { atMs: nowMs, jumps: order.forced.jumps.length }];
}

/** Returns the last moment at which the order was as its customer knows it. A report then matches the earlier callbacks and reads. */
export function knownUntilMs(order: SimulatedOrder, nowMs: number): number {
  const next = findingSteps(order)[order.disclosed.length];
  return next ? Math.min(nowMs, timeOfStep(order, next) - 1) : nowMs;
}

const reinvitedNote = 'The renter was invited again, at another address.';

/**
 * Returns the changes after an invitation to another address. It ends an obstacle that the former address caused. An applicant that has
 * begun to answer gets no second invitation.
 */
export function reinvited(order: SimulatedOrder, nowMs: number): { forced?: Forced } {
  const { phase, problem } = standingOf(order, nowMs);
  if (phase !== 'invited') return {};
  const notes = [...order.forced.notes, { atMs: nowMs, message: reinvitedNote }];
  const isObstacle = problem?.code === 'invite_bounced' || problem?.code === 'renter_expired';
  const byMs = isObstacle ? workUntil(order, 'next', nowMs) : null;
  const jumps = byMs === null ? order.forced.jumps : [...order.forced.jumps, { atMs: nowMs, byMs }];
  return { forced: { ...order.forced, notes, jumps } };
}

/** Returns the work in milliseconds until the order's next step, or until it is done. Returns null if it has got there. */
export function workUntil(order: SimulatedOrder, goal: 'next' | 'done', nowMs: number): number | null {
  const begun = { ...order, placedAtMs: order.placedAtMs ?? nowMs };
  const steps = stepsOf(begun);
  const step =
    goal === 'done'
      ? steps.find(({ phase }) => phase === 'done')
      : steps.find((each) => timeOfStep(begun, each) > nowMs);
  const byMs = step ? timeOfStep(begun, step) - nowMs : 0;
  return byMs > 0 && byMs < Infinity ? byMs : null;
}

/** Returns how the present call fails, or null if it does not. */
export function faultOf(order: SimulatedOrder): CallFault | null {
  const failure = order.forced.failure ?? scriptedFailure(order);
  if (failure !== null) return faultFor(failure);
  return order.provider === 'provider_d' ? whim(order.calls) : null;
}

/** Tells whether the script or a test helper now makes every call about the order fail. Work may then not begin. */
export function isMadeToFail(order: SimulatedOrder): boolean {
  return (order.forced.failure ?? scriptedFailure(order)) !== null;
}

function scriptedFailure({ script: text, forced, calls }: SimulatedOrder): Failure | null {
  if (forced.lifted) return null;
  const { failures, obstacles, findings } = readScript(text);
  const isEndless = obstacles.length + findings.length === 0;
  return failures[Math.floor((calls - 1) / 2)] ?? (isEndless ? (failures.at(-1) ?? null) : null);
}

/** Makes the flaky service fail the first call, and then every fourth, in two ways by turns. */
function whim(calls: number): CallFault | null {
  if (calls === 1 || calls % 8 === 4) return { kind: 'error' };
  return calls % 8 === 0 ? { kind: 'busy', retryAfterSeconds: 2 } : null;
}

function faultFor(failure: Failure): CallFault {
  if (failure === 'provider_error') return { kind: 'error' };
  if (failure === 'provider_timeout') return { kind: 'silence' };
  if (failure === 'provider_garbage') return { kind: 'garbage' };
  if (failure === 'invalid_details') {
    return { kind: 'refusal', code: 'invalid_details', message: 'The date of birth of the applicant is missing.' };
  }
  const code = failure.slice('error_'.length);
  return { kind: 'refusal', code, message: 'The order cannot be carried out.' };
}

/** Returns the time of a step. A helper's later change does not move steps that were reached before. */
function timeOfStep(order: SimulatedOrder, { offsetMs, corrects }: Step): number {
  const begun = corrects === null ? { atMs: order.placedAtMs, jumps: 0 } : order.disclosed[corrects];
  if (!begun || begun.atMs === null) return Infinity;
  let sinceMs = begun.atMs;
  let workedMs = 0;
  for (const { atMs, byMs } of order.forced.jumps.slice(begun.jumps)) {
    const jumpMs = Math.max(atMs, sinceMs);
    if (workedMs + jumpMs - sinceMs >= offsetMs) break;
    workedMs += jumpMs - sinceMs + byMs;
    sinceMs = jumpMs;
    if (workedMs >= offsetMs) return jumpMs;
  }
  return sinceMs + offsetMs - workedMs;
}

function findingSteps(order: SimulatedOrder): Step[] {
  return stepsOf(order).filter(({ finding }) => finding !== null);
}
