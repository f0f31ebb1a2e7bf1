import type { TSchema } from 'typebox';
import { ApiError, invalidParameter, missingParameter } from '../../core/errors.ts';
import type { Json } from '../../core/json-diff.ts';
import { nearestName } from '../../core/nearest.ts';
import { familiesOf, unknownEvent } from '../../model/event-names.ts';
import { includesPermission } from '../../model/callers/permissions.ts';
import type { StepOperation } from '../../model/step-operation.ts';
import { membersOf, type Step, type Trigger } from './definition.ts';
import type { Filter } from './filters.ts';
import { faultOfPath, valuesAt } from './record-paths.ts';
import { hasBrokenBraces, pathsIn, textsIn } from './templates.ts';

/** What a check knows about this server and the maker of the workflow. */
export interface CheckFacts {
  knownEventTypes: readonly string[];
  knownPermissions: readonly string[];
  /** The permissions of the maker. */
  held: ReadonlySet<string>;
  /** Returns the permission that the maker lacks to see events of a type. Null if it sees them. */
  lackingForEvents: (type: string) => string | null;
  operations: readonly StepOperation[];
  /** Whether the workflow is of the newest version. Bodies and members of records are known in that version alone. */
  isNewest: boolean;
  /** Returns the schema of a kind of record in the newest version, as events have it. Null for an unknown kind. */
  recordSchemaOf: (object: string) => TSchema | null;
  /** Says why a URL cannot be called, or returns null. */
  faultOfUrl: (url: string) => string | null;
}

/** The part of a workflow that its maker writes. */
export interface Written {
  trigger: Trigger;
  steps: readonly Step[];
  permissions: readonly string[];
}

/**
 * Checks all that can be known before a run.
 *
 * @throws {ApiError} with the parameter.
 */
export function requireSound({ trigger, steps, permissions }: Written, facts: CheckFacts): void {
  requireEventType('trigger[type]', trigger.type, facts);
  requireEventFilters('trigger[filters]', trigger.filters, trigger.type, facts);
  requirePermissions(permissions, facts);
  const earlier: Step[] = [];
  for (const [index, step] of steps.entries()) {
    requireStep(`steps[${index}]`, step, { earlier, all: steps, permissions, facts, begins: trigger.type });
    earlier.push(step);
  }
}

/** The permissions that no program may hold that acts by itself. */
export function isForPeople(permission: string): boolean {
  return (
    permission.startsWith('api_keys.') ||
    permission.startsWith('retention_holds.') ||
    ['accounts.write', 'portal_sessions.write', 'workflows.write', 'approval_requests.write'].includes(permission)
  );
}

function requirePermissions(permissions: readonly string[], { knownPermissions, held }: CheckFacts): void {
  for (const [index, permission] of permissions.entries()) {
    const param = `permissions[${index}]`;
    if (!knownPermissions.includes(permission)) {
      const nearest = nearestName(permission, knownPermissions);
      throw invalidParameter(
        param,
        `There is no permission \`${permission}\`. ${nearest === null ? 'See the guide on keys.' : `Did you mean \`${nearest}\`?`}`,
      );
    }
    if (isForPeople(permission))
      throw invalidParameter(param, `A workflow cannot have \`${permission}\`, which is for people. Leave it out.`);
    if (!includesPermission(held, permission))
      throw new ApiError(
        'permission_denied',
        `You lack the permission \`${permission}\`, so your workflow cannot have it. Leave it out, or let a key with this permission make the workflow.`,
        { param },
      );
  }
}

function requireEventType(param: string, type: string, { knownEventTypes, lackingForEvents }: CheckFacts): void {
  if (/^(workflow|approval_request)/.test(type))
    throw invalidParameter(
      param,
      `\`${type}\` cannot start or resume a run, because runs make such events themselves.`,
    );
  if (![...familiesOf(knownEventTypes), ...knownEventTypes].includes(type))
    throw unknownEvent(param, type, knownEventTypes);
  const lacking = lackingForEvents(type);
  if (lacking !== null)
    throw new ApiError(
      'permission_denied',
      `You lack the permission \`${lacking}\`, which events of \`${type}\` need. A workflow sends them on. Choose other events, or let a key or a person with this permission make the workflow.`,
      { param },
    );
}

/** Checks that each operation gets a value that it can compare with. The value at the path must be able to equal it. */
function requireFilters(
  param: string,
  filters: readonly Filter[],
  requirePath: (param: string, path: string) => void,
  possibleAt: (path: string) => readonly Json[] | null,
): void {
  for (const [index, { path, op, value }] of filters.entries()) {
    const own = `${param}[${index}]`;
    requirePath(`${own}[path]`, path);
    const fault = faultOfValue(op, value) ?? faultOfComparison(op, value, possibleAt(path));
    if (fault !== null) throw invalidParameter(`${own}[value]`, `\`${op}\` ${fault}`);
  }
}

/** Checks the filters of an event. */
function requireEventFilters(param: string, filters: readonly Filter[], type: string, facts: CheckFacts): void {
  requireFilters(
    param,
    filters,
    (own, path) => requireEventPath(own, path, type, facts),
    (path) => possibleInEvent(path, type, facts),
  );
}

/** Returns the words that the value at a path can be. A typo in one would match no event, in silence. */
function possibleInEvent(path: string, type: string, facts: CheckFacts): readonly Json[] | null {
  const [data, object, ...members] = path.split('.');
  const schema = data === 'data' && object === 'object' ? recordSchemaFor(type, facts) : null;
  return schema && valuesAt(schema, members);
}

function recordSchemaFor(type: string, { isNewest, recordSchemaOf }: CheckFacts): TSchema | null {
  return isNewest ? recordSchemaOf(type.split('.')[0]!) : null;
}

function faultOfComparison(op: Filter['op'], value: Json | undefined, possible: readonly Json[] | null): string | null {
  if (possible === null || value === undefined || !['eq', 'ne', 'in'].includes(op)) return null;
  const values = Array.isArray(value) ? value : [value];
  const other = values.find((each) => !possible.includes(each) && [...textsIn(each)].flatMap(pathsIn).length === 0);
  if (other === undefined) return null;
  const words = possible.filter((each) => typeof each === 'string');
  const nearest = typeof other === 'string' ? nearestName(other, words) : null;
  const all = possible.map((each) => `\`${JSON.stringify(each)}\``).join(', ');
  const advice = nearest === null ? `The value is one of ${all}.` : `Did you mean \`${nearest}\`?`;
  return `cannot compare with ${JSON.stringify(other)} here. ${advice}`;
}

function faultOfValue(op: Filter['op'], value: Json | undefined): string | null {
  switch (op) {
    case 'exists':
    case 'changed':
      return value === undefined || typeof value === 'boolean' ? null : 'takes `true` or `false`, or no value.';
    case 'in':
      return Array.isArray(value) && value.length > 0 && value.every(isScalar)
        ? null
        : 'needs a list of texts, numbers, booleans or null, with one value at least.';
    case 'eq':
    case 'ne':
      return value !== undefined && !Array.isArray(value) ? null : 'needs one value.';
    default:
      return typeof value === 'number' || typeof value === 'string' ? null : 'needs a number or a text.';
  }
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' ? value.length <= 500 : typeof value !== 'object' || value === null;
}

const eventMembers = ['id', 'object', 'created', 'type', 'data', 'request', 'account'];

function requireEventPath(param: string, path: string, type: string, facts: CheckFacts): void {
  const [first = '', second, ...members] = path.split('.');
  if (!eventMembers.includes(first)) {
    const nearest = nearestName(first, eventMembers);
    throw invalidParameter(
      param,
      `An event has no \`${first}\`. ${nearest === null ? 'Begin with `data.object`.' : `Did you mean \`${nearest}\`?`}`,
    );
  }
  if (first === 'data' && second !== undefined && !['object', 'previous_attributes'].includes(second))
    throw invalidParameter(
      param,
      `\`data\` has no \`${second}\`. Write \`data.object\` before the members of the record.`,
    );
  const schema = first === 'data' && members.length > 0 ? recordSchemaFor(type, facts) : null;
  const fault = schema && faultOfPath(schema, members, `data.${second}`);
  if (fault !== null) throw invalidParameter(param, fault);
}

interface StepFacts {
  earlier: readonly Step[];
  all: readonly Step[];
  permissions: readonly string[];
  facts: CheckFacts;
  /** The type of the event that starts the run. */
  begins: string;
}

function requireStep(param: string, step: Step, around: StepFacts): void {
  const { earlier, facts } = around;
  if (earlier.some(({ id }) => id === step.id))
    throw invalidParameter(`${param}[id]`, `Two steps have the id \`${step.id}\`. Give each its own.`);
  requireMembers(param, step);
  const hasItem = step.for_each !== undefined;
  const requirePath = (name: string, path: string, itemToo = hasItem): void =>
    requireScopePath(name, path, { ...around, hasItem: itemToo, own: step.id });
  if (step.for_each !== undefined) requirePath(`${param}[for_each]`, step.for_each, false);
  requireFilters(`${param}[if]`, step.if ?? [], requirePath, (path) =>
    path.startsWith('event.') ? possibleInEvent(path.slice('event.'.length), around.begins, facts) : null,
  );
  for (const [name, text] of templatedTexts(step)) {
    const own = `${param}[${name}]`;
    if (hasBrokenBraces(text))
      throw invalidParameter(
        own,
        'A template is a path in double braces, such as {{event.data.object.id}}. Close it, and write only letters, digits, _ and dots between.',
      );
    for (const path of pathsIn(text)) requirePath(own, path);
  }
  if (step.until !== undefined) requirePath(`${param}[until]`, step.until);
  if (step.action === 'wait_for_event') {
    requireEventType(`${param}[type]`, step.type!, facts);
    requireEventFilters(`${param}[filters]`, step.filters ?? [], step.type!, facts);
  }
  if (step.action === 'http') requireUrl(`${param}[url]`, step.url!, facts);
  if (step.action === 'api') requireOperation(param, step, around);
  if (step.action === 'email' && !includesPermission(new Set(around.permissions), 'customers.read'))
    throw invalidParameter('permissions', `The step \`${step.id}\` reads a customer. Add \`customers.read\`.`);
}

/** Yields the texts with templates, with the member of the step that has each. */
function* templatedTexts(step: Step): Generator<[string, string]> {
  for (const name of ['path', 'url', 'to', 'subject', 'text', 'title'] as const)
    if (step[name] !== undefined) yield [name, step[name]];
  for (const text of textsIn(step.body ?? null)) yield ['body', text];
  for (const text of Object.values(step.headers ?? {})) if (text !== null) yield ['headers', text];
  for (const { value } of step.filters ?? []) for (const text of textsIn(value ?? null)) yield ['filters', text];
}

function requireMembers(param: string, step: Step): void {
  const { required, optional } = membersOf[step.action];
  const all = Object.values(membersOf).flatMap((members) => [...members.required, ...members.optional]);
  const other = all.find((name) => step[name] !== undefined && ![...required, ...optional].includes(name));
  if (other !== undefined)
    throw invalidParameter(
      `${param}[${other}]`,
      `A step of the action \`${step.action}\` has no \`${other}\`. Leave it out.`,
    );
  const missing = required.find((name) => step[name] === undefined);
  if (missing !== undefined)
    throw missingParameter(
      `${param}[${missing}]`,
      `The action \`${step.action}\` needs the parameter \`${missing}\`. Send it.`,
    );
  if (step.action === 'wait' && (step.seconds === undefined) === (step.until === undefined))
    throw invalidParameter(`${param}[seconds]`, 'A step of the action `wait` needs either `seconds` or `until`.');
}

function requireScopePath(
  param: string,
  path: string,
  { earlier, all, hasItem, own, begins, facts }: StepFacts & { hasItem: boolean; own: string },
): void {
  const [root, name, output] = path.split('.');
  if (root === 'event') {
    if (name !== undefined) requireEventPath(param, path.slice('event.'.length), begins, facts);
    return;
  }
  if (root === 'item') {
    if (!hasItem) throw invalidParameter(param, 'Only a step with `for_each` has an `item`.');
    return;
  }
  if (root !== 'steps') throw invalidParameter(param, `\`${path}\` must begin with \`event\`, \`steps\` or \`item\`.`);
  if (!earlier.some(({ id }) => id === name)) {
    const isLater = name === own || all.some(({ id }) => id === name);
    const nearest = nearestName(
      name ?? '',
      earlier.map(({ id }) => id),
    );
    const advice = nearest === null ? 'Name an earlier step.' : `Did you mean \`${nearest}\`?`;
    throw invalidParameter(
      param,
      isLater
        ? `The step \`${name}\` does not come before this one. Name an earlier step.`
        : `There is no step \`${name ?? ''}\`. ${advice}`,
    );
  }
  if (output !== 'output') throw invalidParameter(param, `Write \`steps.${name}.output\`: a step has only its output.`);
}

/** Checks that no template can change where a URL leads. */
function requireUrl(param: string, url: string, { faultOfUrl }: CheckFacts): void {
  const [, host = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(url) ?? [];
  const start = url.slice(0, url.indexOf(host) + host.length);
  if (host === '' || /[{}]/.test(start))
    throw invalidParameter(param, 'Write the whole host of the URL. A template may only come after it.');
  const fault = faultOfUrl(url.replaceAll(/\{\{.*?\}\}/g, 'x'));
  if (fault !== null) throw invalidParameter(param, fault);
}

function requireOperation(param: string, step: Step, { permissions, facts }: StepFacts): void {
  const operation = operationAt(facts.operations, step.path!);
  if (!operation) {
    const nearest = nearestName(
      step.path!,
      facts.operations.map(({ path }) => path),
    );
    throw invalidParameter(
      `${param}[path]`,
      `\`${step.path}\` is no POST of this API that a workflow may send. ${nearest === null ? 'Send a path such as `/v1/references`.' : `Did you mean \`${nearest}\`?`}`,
    );
  }
  const held = new Set(permissions);
  const lacking = operation.permissions.find((needed) => !includesPermission(held, needed));
  if (lacking !== undefined)
    throw invalidParameter('permissions', `The step \`${step.id}\` needs \`${lacking}\`. Add it to \`permissions\`.`);
  if (!facts.isNewest) return;
  const unknown = Object.keys(step.body ?? {}).find((name) => !operation.members.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, operation.members);
    throw invalidParameter(
      `${param}[body][${unknown}]`,
      `\`${operation.path}\` has no parameter \`${unknown}\`. ${nearest === null ? 'Leave it out.' : `Did you mean \`${nearest}\`?`}`,
    );
  }
  const missing = operation.required.find((name) => !Object.hasOwn(step.body ?? {}, name));
  if (missing !== undefined)
    throw missingParameter(`${param}[body][${missing}]`, `\`${operation.path}\` needs \`${missing}\`.`);
}

/** Returns the operation at a path, in which a template may stand for an id. */
export function operationAt(operations: readonly StepOperation[], path: string): StepOperation | undefined {
  const parts = path.split('/');
  const fits = (operation: StepOperation): boolean => {
    const own = operation.path.split('/');
    return (
      own.length === parts.length &&
      own.every((part, at) => (part === ':id' ? isIdPart(parts[at]!) : part === parts[at]))
    );
  };
  // `/v1/payments/imports` is no payment with the id `imports`.
  return operations.find((operation) => operation.path === path && fits(operation)) ?? operations.find(fits);
}

function isIdPart(part: string): boolean {
  return /^([A-Za-z0-9_]+|\{\{[^{}]+\}\})$/.test(part);
}
