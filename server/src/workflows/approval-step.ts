import { isId } from '../core/ids.ts';
import { isObject, type Json } from '../core/json-diff.ts';
import type { Resource } from '../model/resource.ts';
import { personalTexts } from '../model/traits/personal-texts.ts';
import { customer } from '../resources/customer.ts';
import type { ApprovalRequestRecord } from '../resources/workflows/approval-request.ts';
import type { StepResult } from './advance.ts';
import type { Step } from './rules/definition.ts';
import { valueAt } from './rules/paths.ts';
import type { Scope } from './rules/templates.ts';
import { StepFault } from './step-fault.ts';

const expired: StepResult = {
  kind: 'failed',
  error: { code: 'approval_expired', message: 'No person has decided in time.' },
};

/** Returns the wait of a run for a person. */
export function waitingForApproval(id: string, untilMs: number): StepResult {
  const awaits = { type: 'approval_request.*', record: id };
  return { kind: 'waiting', untilMs, nextLookMs: untilMs, awaits, searched: true, approvalRequest: id };
}

/** Returns what came of an approval request. Its reason stays in the request: runs copy no texts about persons. */
export function resultOfApproval(request: ApprovalRequestRecord | null, untilMs: number, nowMs: number): StepResult {
  switch (request?.status) {
    case 'approved':
      return { kind: 'succeeded', output: { approval_request: request.id } };
    case 'pending':
      return nowMs < untilMs ? waitingForApproval(request.id, untilMs) : expired;
    case 'rejected':
      return {
        kind: 'failed',
        error: { code: 'approval_rejected', message: `A person has rejected it. ${request.id} has the reason.` },
      };
    default:
      return expired;
  }
}

/** Returns the first customer that an event is about, so that an erasure finds the question. Null if there is none. */
export function customerOfEvent(event: Json): string | null {
  const object = isObject(event) && isObject(event.data) ? event.data.object : null;
  if (!isObject(object)) return null;
  const { id, customer: one, customers: several } = object;
  const named = [id, one, ...(Array.isArray(several) ? several : [])];
  return named.find((each): each is string => typeof each === 'string' && isId(customer.prefix, each)) ?? null;
}

/**
 * Returns a value for the title of an approval request, which an erasure does not empty.
 *
 * @throws {StepFault} if it is no id, number or day, because a word can be a name. Or if an erasure empties it, such as a day of birth.
 */
export function plainInTitle(
  resources: readonly Resource[],
  step: Step,
  scope: Scope,
): (value: string, path: string) => string {
  return (value, path) => {
    const isPlain = /^(?:[A-Za-z0-9]+_[A-Za-z0-9_]{1,100}|-?\d{1,9}|\d{4}-\d{2}-\d{2})$/.test(value);
    if (isPlain && !isPersonal(resources, step, scope, path)) return value;
    throw new StepFault(
      'template_invalid',
      'A template in `title` may only name ids, numbers and days, and none of a person. The approval request keeps no personal data.',
    );
  };
}

/** Returns whether an erasure empties the member of a record that a path leads to. */
function isPersonal(resources: readonly Resource[], step: Step, scope: Scope, path: string): boolean {
  // All items of a list are members of one record.
  const parts = path.replace(/^item\b/, `${step.for_each}.0`).split('.');
  return parts.some((member, at) => {
    const holder = valueAt(scope, parts.slice(0, at));
    const record = isObject(holder) && isObject(holder.object) ? holder.object : holder;
    if (!isObject(record)) return false;
    const resource = resources.find(({ object }) => object === record.object);
    // The earlier values of an event are members of its record.
    const name = record === holder || member !== 'previous_attributes' ? member : parts[at + 1];
    return resource !== undefined && name !== undefined && isErasedField(resource, name);
  });
}

function isErasedField(resource: Resource, name: string): boolean {
  const texts = personalTexts.of(resource)?.texts;
  return texts ? Object.hasOwn(texts, name) : resource.fields[name]?.erased !== undefined;
}
