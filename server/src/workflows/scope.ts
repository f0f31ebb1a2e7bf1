import { toSeconds, type Clock } from '../core/clock.ts';
import { isObject, type Json, type JsonObject } from '../core/json-diff.ts';
import { bytesOf, type RecordReader } from '../db/record-reader.ts';
import { isGone, renderRecord } from '../model/change.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { Step } from './rules/definition.ts';
import type { Filter } from './rules/filters.ts';
import { namedSteps } from './rules/scope.ts';
import { TemplateError, valueOf, type Scope } from './rules/templates.ts';
import { readEvent, type EventContext } from './events.ts';
import { StepFault } from './step-fault.ts';

/** Bytes of the event and the records that the templates of a step name. Several such steps have room beside each other. */
export const scopeBytesMax = 8 * 1024 * 1024;

export interface ScopeContext extends EventContext {
  clock: Clock;
  realClock: Clock;
}

/**
 * Reads what the templates of a step can name: the event, and the outputs of the steps that it names. An output has ids only. The records
 * are read as they are now.
 *
 * @throws {StepFault} if the event is gone.
 */
export async function scopeOf(context: ScopeContext, run: WorkflowRunRecord, step: Step): Promise<Scope> {
  const { account_id: accountId, definition } = run;
  const event = await readEvent(context, accountId, run.event, definition.api_version);
  const steps: JsonObject = {};
  for (const id of namedSteps(step)) {
    const entries = run.steps.filter((entry) => entry.id === id);
    const outputs = await Promise.all(entries.map(({ output }) => opened(context, run, output)));
    const isList = definition.steps.find((other) => other.id === id)?.for_each !== undefined;
    if (isList) steps[id] = { output: outputs };
    else if (entries.at(-1)?.status === 'succeeded') steps[id] = { output: outputs.at(-1) ?? null };
  }
  return { event, steps };
}

/** Returns a reader that throws a {@link StepFault} when it has read more than a scope may have. */
export function boundedReader(readRecord: RecordReader): RecordReader {
  let bytes = 0;
  return async (kind, accountId, id) => {
    const record = await readRecord(kind, accountId, id);
    if (record) bytes += bytesOf(record);
    if (bytes <= scopeBytesMax) return record;
    throw new StepFault(
      'records_too_large',
      'The event and the records that the templates of this step name have more than 8 MB. Name fewer records.',
    );
  };
}

/** Replaces the ids of an output by the record or the event. */
async function opened(context: ScopeContext, run: WorkflowRunRecord, output: Json): Promise<Json> {
  if (!isObject(output)) return output;
  const { account_id: accountId, definition } = run;
  const { versions, resources, clock, realClock } = context;
  const version = definition.api_version;
  if (typeof output.event === 'string')
    return { ...output, event: await readEvent(context, accountId, output.event, version) };
  const resource = resources.find(({ object }) => object === output.object);
  const record =
    resource && typeof output.id === 'string' ? await context.readRecord(resource, accountId, output.id) : null;
  if (!resource || !record || isGone(resource, record)) return output;
  const moment = { nowSeconds: toSeconds(clock.nowMs()), realSeconds: toSeconds(realClock.nowMs()) };
  return versions.convert(renderRecord(resource, record, moment), versions.newest, version);
}

/**
 * Returns the items of a step's list. Null if the step has none.
 *
 * @throws {StepFault} if there is no list, or if it is too long.
 */
export function itemsOf({ for_each: path }: Step, scope: Scope, most: number): Json[] | null {
  if (path === undefined) return null;
  const list = valueOf(path, scope);
  if (!Array.isArray(list)) throw new StepFault('template_invalid', `\`${path}\` is no list.`);
  if (list.length > most)
    throw new StepFault('list_too_long', `\`${path}\` has ${list.length} items. A step runs for at most ${most}.`);
  return list;
}

/** Returns filters whose values have no templates any more. */
export function withValues(
  filters: readonly Filter[],
  scope: Scope,
  fill: (value: Json, scope: Scope) => Json,
): Filter[] {
  return filters.map((filter) =>
    filter.value === undefined ? filter : { ...filter, value: fill(filter.value, scope) },
  );
}

/** Returns an error of a step as the run shows it. Any other error is thrown on. */
export function faultOf(error: unknown): { code: string; message: string } {
  if (error instanceof StepFault) return { code: error.code, message: error.message };
  if (error instanceof TemplateError) return { code: error.code, message: error.message };
  throw error;
}
