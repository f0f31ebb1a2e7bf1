import { Type, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { closedObject, described, named, oneOf } from '../../model/schemas/make.ts';
import { filterOps, type Filter } from './filters.ts';
import { pathLengthMax, pathPattern } from './paths.ts';

export const actions = ['api', 'http', 'email', 'wait', 'wait_for_event', 'approval'] as const;

export type ActionName = (typeof actions)[number];

export const stepsMax = 20;
export const filtersMax = 10;

/** Items of a list that a step runs for. */
export const itemsMax = 100;

/** A year, in seconds. */
const waitMaxSeconds = 366 * 86_400;

export interface Trigger {
  /** A type of events, or all of a kind: `reference.*`. */
  type: string;
  filters: Filter[];
}

/** A step as it is stored, with the members of its action alone. */
export interface Step {
  id: string;
  action: ActionName;
  if?: Filter[];
  for_each?: string;
  on_error: 'stop' | 'continue';
  path?: string;
  body?: JsonObject;
  url?: string;
  /** Null for a value that is sealed. */
  headers?: Record<string, string | null>;
  to?: string;
  subject?: string;
  text?: string;
  seconds?: number;
  until?: string;
  type?: string;
  filters?: Filter[];
  timeout?: number;
  title?: string;
}

/** The members of each action besides those that every step has. */
export const membersOf: Record<ActionName, { required: readonly (keyof Step)[]; optional: readonly (keyof Step)[] }> = {
  api: { required: ['path'], optional: ['body'] },
  http: { required: ['url'], optional: ['headers', 'body'] },
  email: { required: ['to', 'subject', 'text'], optional: [] },
  // One of the two.
  wait: { required: [], optional: ['seconds', 'until'] },
  wait_for_event: { required: ['type', 'timeout'], optional: ['filters'] },
  approval: { required: ['title'], optional: ['timeout'] },
};

const Path = Type.String({ minLength: 1, maxLength: pathLengthMax, pattern: pathPattern });
const Short = Type.String({ minLength: 1, maxLength: 500 });
const EventType = Type.String({ maxLength: 100, pattern: '^[a-z_]+\\.(\\*|[a-z_]+)$' });
const Seconds = Type.Integer({ minimum: 1, maximum: waitMaxSeconds });

/** The range of numbers that are exact. */
const numberRange = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Any JSON value that a filter can compare. */
const Comparable = Type.Unsafe<Json>({
  type: ['string', 'number', 'boolean', 'null', 'array'],
  items: { type: ['string', 'number', 'boolean', 'null'], maxLength: 500, ...numberRange },
  maxItems: 100,
  maxLength: 500,
  ...numberRange,
});

/** The names of members, as in metadata. */
const names = { type: 'string', minLength: 1, maxLength: 40, pattern: '^[^\\[\\]]*$' };

const FilterSchema = named(
  'WorkflowFilter',
  'A condition about the value at a path.',
  closedObject({
    path: described(
      Path,
      'The path of a member: `data.object.status` in an event, or `steps.check.output.id` in `if`.',
    ),
    op: described(
      oneOf(...filterOps),
      '`eq`, `ne`, `gt`, `gte`, `lt` and `lte` compare with `value`. `in` takes a list. `exists`: the value is not null. `changed`: the update has changed it.',
    ),
    value: Type.Optional(
      described(Comparable, 'The value to compare with. `exists` and `changed` take `true` or `false`.'),
    ),
  }),
);

const Filters = Type.Array(FilterSchema, { maxItems: filtersMax });

export const TriggerSchema = named(
  'WorkflowTrigger',
  'The events that start a run.',
  closedObject({
    type: described(EventType, 'A type of events such as `reference.completed`, or all of a kind: `reference.*`.'),
    filters: Type.Optional(described(Filters, 'All must match. Left out, each event of the type starts a run.')),
  }),
);

const stepProperties: Record<string, TSchema> = {
  id: described(
    Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-z][a-z0-9_]*$' }),
    'The name of the step, by which later steps read its output.',
  ),
  action: described(
    oneOf(...actions),
    '`api` sends a request to this API. `http` posts to another server. `email` writes to a customer. `wait` and `wait_for_event` wait. `approval` asks a person.',
  ),
  if: Type.Optional(described(Filters, 'The step runs only if all match. Otherwise it is skipped.')),
  for_each: Type.Optional(described(Path, 'The path of a list: the step runs once for each `{{item}}`.')),
  on_error: Type.Optional(
    described(oneOf('stop', 'continue'), '`stop`, the default, fails the run. `continue` goes on with the next step.'),
  ),
  path: Type.Optional(described(Short, 'For `api`: the path of a POST of this API, such as `/v1/references`.')),
  body: Type.Optional(
    described(
      Type.Unsafe<JsonObject>({
        type: 'object',
        maxProperties: 100,
        propertyNames: names,
        additionalProperties: true,
      }),
      'For `api` and `http`: the body. Texts may have templates. For `http`, the event is sent by default.',
    ),
  ),
  url: Type.Optional(
    described(Type.String({ minLength: 1, maxLength: 2048 }), 'For `http`: the URL. Its host has no templates.'),
  ),
  headers: Type.Optional(
    described(
      Type.Unsafe<Record<string, string | null>>({
        type: 'object',
        maxProperties: 20,
        propertyNames: names,
        additionalProperties: { type: ['string', 'null'], maxLength: 2000 },
      }),
      'For `http`: further headers. Their values are encrypted and shown as null. An update with null keeps the value.',
    ),
  ),
  to: Type.Optional(described(Short, 'For `email`: the id of a customer.')),
  subject: Type.Optional(described(Short, 'For `email`: the subject.')),
  text: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 5000 }),
      'For `email`: the text. An empty line begins a paragraph.',
    ),
  ),
  seconds: Type.Optional(described(Seconds, 'For `wait`: how long.')),
  until: Type.Optional(described(Path, 'For `wait`: the path of a day, or of a time in seconds.')),
  type: Type.Optional(described(EventType, 'For `wait_for_event`: the type of the event.')),
  filters: Type.Optional(described(Filters, 'For `wait_for_event`: all must match. A `value` may be a template.')),
  timeout: Type.Optional(described(Seconds, 'For `wait_for_event` and `approval`: how long to wait, in seconds.')),
  title: Type.Optional(described(Short, 'For `approval`: what the person decides.')),
};

export const StepSchema = named('WorkflowStep', 'One step of a workflow.', closedObject(stepProperties));

/** A step as a body has it. */
export type InputStep = Omit<Step, 'on_error'> & { on_error?: Step['on_error'] };

export const StepsSchema = Type.Unsafe<InputStep[]>(Type.Array(StepSchema, { minItems: 1, maxItems: stepsMax }));
