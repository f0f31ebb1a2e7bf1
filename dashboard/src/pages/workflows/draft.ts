import type { Workflow, WorkflowFilter, WorkflowFilterInput, WorkflowStep, WorkflowStepInput } from 'tenure';
import { unitOf, type ActionName } from './workflow-words.ts';

/* What a person types into the editor. Texts become values when they are sent. */

export interface DraftFilter {
  key: number;
  path: string;
  op: string;
  /** A text, or JSON such as `3`, `true` and `["a", "b"]`. */
  value: string;
}

export interface DraftDuration {
  amount: string;
  /** In seconds. */
  unit: string;
}

export interface DraftStep {
  key: number;
  id: string;
  action: ActionName;
  conditions: DraftFilter[];
  forEach: string;
  goesOn: boolean;
  /** `path`, `url`, `to`, `subject`, `text`, `until`, `type` and `title`, by their names. */
  texts: Partial<Record<TextName, string>>;
  /** JSON. Empty for none. */
  body: string;
  headers: string;
  filters: DraftFilter[];
  /** Of `wait`, `wait_for_event` and `approval`. An empty amount is none. */
  duration: DraftDuration;
}

export interface Draft {
  name: string;
  type: string;
  filters: DraftFilter[];
  steps: DraftStep[];
  permissions: readonly string[];
}

export type TextName = 'path' | 'url' | 'to' | 'subject' | 'text' | 'until' | 'type' | 'title';

/** The texts of each action, in the order of the form. */
export const textsOf: Readonly<Record<ActionName, readonly TextName[]>> = {
  api: ['path'],
  http: ['url'],
  email: ['to', 'subject', 'text'],
  wait: ['until'],
  wait_for_event: ['type'],
  approval: ['title'],
};

let keys = 0;

/** Returns a key for a row of the form. */
export function nextKey(): number {
  keys += 1;
  return keys;
}

export function newFilter(): DraftFilter {
  return { key: nextKey(), path: '', op: 'eq', value: '' };
}

/** Returns an empty step. Its id is unlike those of the others. */
export function newStep(others: readonly DraftStep[]): DraftStep {
  let number = others.length + 1;
  while (others.some(({ id }) => id === `step_${number}`)) number += 1;
  return {
    key: nextKey(),
    id: `step_${number}`,
    action: 'api',
    conditions: [],
    forEach: '',
    goesOn: false,
    texts: {},
    body: '',
    headers: '',
    filters: [],
    duration: { amount: '', unit: '86400' },
  };
}

export function emptyDraft(): Draft {
  return { name: '', type: '', filters: [], steps: [newStep([])], permissions: [] };
}

/** Returns a stored workflow as a draft. */
export function draftOf({
  name,
  trigger,
  steps,
  permissions,
}: Pick<Workflow, 'name' | 'trigger' | 'steps' | 'permissions'>): Draft {
  return {
    name,
    type: trigger.type,
    filters: draftFilters(trigger.filters),
    steps: steps.map(draftStep),
    permissions,
  };
}

function draftStep(step: WorkflowStep): DraftStep {
  const { id, action, body, headers, filters, on_error: onError, for_each: forEach, seconds, timeout } = step;
  const lasts = seconds ?? timeout;
  const unit = lasts === undefined ? 86_400 : unitOf(lasts);
  const names = textsOf[action as ActionName] ?? [];
  return {
    key: nextKey(),
    id,
    action: action as ActionName,
    conditions: draftFilters(step.if),
    forEach: forEach ?? '',
    goesOn: onError === 'continue',
    texts: Object.fromEntries(names.flatMap((each) => (step[each] === undefined ? [] : [[each, step[each]]]))),
    body: jsonText(body),
    headers: jsonText(headers),
    filters: draftFilters(filters),
    duration: { amount: lasts === undefined ? '' : String(lasts / unit), unit: String(unit) },
  };
}

function draftFilters(filters: readonly WorkflowFilter[] = []): DraftFilter[] {
  return filters.map(({ path, op, value }) => ({
    key: nextKey(),
    path,
    op,
    value:
      value === undefined
        ? ''
        : typeof value === 'string' && typeof parsed(value) === 'string'
          ? value
          : JSON.stringify(value),
  }));
}

function jsonText(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** Returns what a text says: JSON, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What is sent, or the faults that the form finds itself, by the parameters of the API. */
export type Written = { faults: ReadonlyMap<string, string>; input: WorkflowInput };

export interface WorkflowInput {
  name: string;
  trigger: { type: string; filters: WorkflowFilterInput[] };
  steps: WorkflowStepInput[];
  permissions: string[];
}

/** Returns a draft as the API takes it. */
export function writtenOf({ name, type, filters, steps, permissions }: Draft): Written {
  const faults = new Map<string, string>();
  const input: WorkflowInput = {
    name: name.trim(),
    trigger: { type: type.trim(), filters: filters.map(filterOf) },
    steps: steps.map((step, at) => stepOf(step, (member, fault) => faults.set(`steps[${at}][${member}]`, fault))),
    permissions: [...permissions],
  };
  return { faults, input };
}

function filterOf({ path, op, value }: DraftFilter): WorkflowFilterInput {
  return {
    path: path.trim(),
    op: op as WorkflowFilterInput['op'],
    value: parsed(value) as WorkflowFilterInput['value'],
  };
}

function stepOf(step: DraftStep, fail: (member: string, fault: string) => void): WorkflowStepInput {
  const { id, action, conditions, forEach, goesOn, texts, filters, duration } = step;
  const object = (member: 'body' | 'headers'): Record<string, unknown> | undefined => {
    if (step[member].trim() === '') return undefined;
    const value = parsed(step[member]);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    fail(member, 'This is no JSON object. It begins with { and ends with }.');
    return undefined;
  };
  const lasts = duration.amount.trim() === '' ? undefined : Number(duration.amount) * Number(duration.unit);
  const sent: Record<string, unknown> = {
    id: id.trim(),
    action,
    ...(conditions.length > 0 && { if: conditions.map(filterOf) }),
    ...(forEach.trim() !== '' && { for_each: forEach.trim() }),
    ...(goesOn && { on_error: 'continue' }),
    ...Object.fromEntries(
      textsOf[action].flatMap((each) => {
        const text = texts[each]?.trim() ?? '';
        return text === '' ? [] : [[each, text]];
      }),
    ),
    ...((action === 'api' || action === 'http') && { body: object('body') }),
    ...(action === 'http' && { headers: object('headers') }),
    ...(action === 'wait_for_event' && filters.length > 0 && { filters: filters.map(filterOf) }),
    ...(action === 'wait' && { seconds: lasts }),
    ...((action === 'wait_for_event' || action === 'approval') && { timeout: lasts }),
  };
  return sent as unknown as WorkflowStepInput;
}

/** Returns the permissions that the steps need, as far as their actions and paths tell. The server knows the rest. */
export function neededBy(steps: readonly DraftStep[]): string[] {
  const needed = steps.flatMap(({ action, texts }) => {
    if (action === 'email') return ['customers.read'];
    const kind = action === 'api' ? /^\/v1\/([a-z_]+)/.exec(texts.path?.trim() ?? '')?.[1] : undefined;
    return kind === undefined ? [] : [`${kind}.write`];
  });
  return [...new Set(needed)];
}
