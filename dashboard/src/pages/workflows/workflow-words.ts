import type { WorkflowFilter, WorkflowStep } from 'tenure';
import type { Tone } from '@tenure/ui';

/** The statuses of workflows and of their runs, as the colours of badges. */
export const tones: Readonly<Record<string, Tone>> = {
  draft: 'neutral',
  active: 'good',
  paused: 'warning',
  archived: 'neutral',
  running: 'waiting',
  waiting: 'waiting',
  succeeded: 'good',
  skipped: 'neutral',
  failed: 'bad',
  canceled: 'neutral',
};

/** The actions of steps, with their names in the editor. */
export const actionNames = {
  api: 'Send a request to this API',
  http: 'Post to another server',
  email: 'E-mail a customer',
  wait: 'Wait',
  wait_for_event: 'Wait for an event',
  approval: 'Ask a person',
} as const;

export type ActionName = keyof typeof actionNames;

const opWords: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

/** The comparisons of filters, for the editor. */
export const ops = [
  ...Object.entries(opWords).map(([id, name]) => ({ id, name })),
  { id: 'exists', name: 'is there (true) or not (false)' },
  { id: 'changed', name: 'has changed (true) or not (false)' },
];

/** Returns a condition in words: "data.object.status is complete". */
export function filterText({ path, op, value }: WorkflowFilter): string {
  if (op === 'exists') return `${path} is ${value === false ? 'not there' : 'there'}`;
  if (op === 'changed') return `${path} has ${value === false ? 'not changed' : 'changed'}`;
  return `${path} ${opWords[op] ?? op} ${valueText(value)}`;
}

/** Returns conditions in words, or null if there are none. */
export function filtersText(filters: readonly WorkflowFilter[] | undefined): string | null {
  return filters && filters.length > 0 ? filters.map(filterText).join(', and ') : null;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** The units of a duration, for the editor. */
export const durationUnits = units.map(([seconds, name]) => ({ id: String(seconds), name: `${name}s` }));

/** Returns the largest unit, in seconds, that measures a duration in whole numbers. */
export function unitOf(seconds: number): number {
  return units.find(([unit]) => seconds % unit === 0)![0];
}

/** Returns a duration in words: "3 days". */
export function durationText(seconds: number): string {
  const unit = unitOf(seconds);
  const [, name] = units.find(([each]) => each === unit)!;
  const count = seconds / unit;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Returns what a step does, in a sentence. */
export function stepText(step: WorkflowStep): string {
  switch (step.action) {
    case 'api':
      return `Sends POST ${step.path ?? ''} to this API.`;
    case 'http':
      return `Posts ${step.body ? 'a body' : 'the event'} to ${step.url ?? ''}.`;
    case 'email':
      return `Writes “${step.subject ?? ''}” to ${step.to ?? ''}.`;
    case 'wait':
      return step.seconds === undefined ? `Waits until ${step.until ?? ''}.` : `Waits ${durationText(step.seconds)}.`;
    case 'wait_for_event':
      return `Waits up to ${durationText(step.timeout ?? 0)} for ${step.type ?? ''}.`;
    case 'approval':
      return `Asks a person: “${step.title ?? ''}”.`;
    default:
      return step.action;
  }
}
