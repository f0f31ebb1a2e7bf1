import { isObject, type Json, type JsonObject } from '../../core/json-diff.ts';
import { isPrefixMatch } from '../../model/event-names.ts';
import { itemsMax, type Step, type Trigger } from './definition.ts';
import { lookInEvent, matchesAll } from './filters.ts';
import { lookInScope, namedSteps } from './scope.ts';
import { filledIn, TemplateError, textFilledIn, urlFilledIn, valueOf, type Scope } from './templates.ts';

/** What a step would do. */
export interface DryStep {
  id: string;
  /** The position of its item. Null without `for_each`. */
  item: number | null;
  /** `unknown`: it names the output of a step, which there is only in a run. Or the steps before it fill the answer. */
  would: 'run' | 'skip' | 'fail' | 'unknown';
  /** What it would send. Null if it would send nothing, or if that is unknown. */
  request: JsonObject | null;
  /** Why it would fail. */
  error: string | null;
}

/** Returns what a run for an event would do. A pure function, without an effect. */
export function dryRun(
  { trigger, steps }: { trigger: Trigger; steps: readonly Step[] },
  event: JsonObject,
): { matches: boolean; steps: DryStep[] } {
  const matches =
    typeof event.type === 'string' &&
    isPrefixMatch(event.type, trigger.type) &&
    matchesAll(trigger.filters, (path) => lookInEvent(event, path));
  const room = { left: shownMax };
  return { matches, steps: matches ? steps.flatMap((step) => dryStep(step, { event, steps: {} }, room)) : [] };
}

/** Characters of JSON that an answer shows of requests. Twenty steps with a hundred items each could send half a gigabyte. */
const shownMax = 1024 * 1024;

interface Room {
  left: number;
}

function dryStep(step: Step, scope: Scope, room: Room): DryStep[] {
  const about = { id: step.id, item: null, request: null, error: null };
  if (namedSteps(step).length > 0) return [{ ...about, would: 'unknown' }];
  try {
    const list = step.for_each === undefined ? null : valueOf(step.for_each, scope);
    if (list === null) return [{ ...about, ...dryItem(step, scope, room) }];
    if (!Array.isArray(list)) return [{ ...about, would: 'fail', error: `\`${step.for_each}\` is no list.` }];
    if (list.length === 0) return [{ ...about, would: 'skip' }];
    return list
      .slice(0, itemsMax)
      .map((item, at) => ({ ...about, item: at, ...dryItem(step, { ...scope, item }, room) }));
  } catch (error) {
    return [{ ...about, would: 'fail', error: messageOf(error) }];
  }
}

function dryItem(step: Step, scope: Scope, room: Room): Pick<DryStep, 'would' | 'request' | 'error'> {
  try {
    if (room.left < 0) return { would: 'unknown', request: null, error: null };
    if (step.if && !matchesAll(step.if, lookInScope(scope))) return { would: 'skip', request: null, error: null };
    const request = requestOf(step, scope);
    room.left -= JSON.stringify(request).length;
    return room.left < 0 ? { would: 'unknown', request: null, error: null } : { would: 'run', request, error: null };
  } catch (error) {
    return { would: 'fail', request: null, error: messageOf(error) };
  }
}

function requestOf(step: Step, scope: Scope): JsonObject {
  const body = (otherwise: Json): Json => (step.body ? filledIn(step.body, scope) : otherwise);
  const text = (value: string | undefined): string => textFilledIn(value ?? '', scope);
  switch (step.action) {
    case 'api':
      return { method: 'POST', path: text(step.path), body: body({}) };
    case 'http':
      return { method: 'POST', url: urlFilledIn(step.url!, scope).href, body: body(scope.event) };
    case 'email':
      return { to: text(step.to), subject: text(step.subject), text: text(step.text) };
    case 'wait':
      return step.until === undefined ? { seconds: step.seconds! } : { until: valueOf(step.until, scope) };
    case 'wait_for_event': {
      const filters = (step.filters ?? []).map(({ value, ...filter }) => ({
        ...filter,
        ...(value !== undefined && { value: filledIn(value, scope) }),
      }));
      return { type: step.type!, filters, timeout: step.timeout! };
    }
    case 'approval':
      return { title: text(step.title) };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message;
  throw error;
}

/** Returns the definition in a stored workflow. */
export function definitionIn(record: Readonly<Record<string, unknown>>): { trigger: Trigger; steps: Step[] } {
  const { trigger, steps } = record;
  if (!isObject(trigger as Json) || !Array.isArray(steps)) throw new Error('Bug! The record is no workflow.');
  return { trigger: trigger as Trigger, steps: steps as Step[] };
}
