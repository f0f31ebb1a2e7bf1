import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { targetUrlFault } from '../../core/addresses/target-addresses.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { requireConfirmationInLive } from '../../model/callers/confirmation.ts';
import { moment, SingleLine, StoredLine } from '../../model/schemas/fields.ts';
import type { Metadata } from '../../model/schemas/metadata.ts';
import { includesPermission, requirePermission } from '../../model/callers/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import { createFrom, defineResource, exactly, updateFrom, type Change } from '../../model/resource.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { requireStatus } from '../../model/status.ts';
import { inUse } from '../../model/traits/in-use.ts';
import { limited, outsideLimit } from '../../model/traits/limited.ts';
import { operationAt, requireSound, type Written } from '../../workflows/rules/check.ts';
import {
  StepsSchema,
  TriggerSchema,
  type InputStep,
  type Step,
  type Trigger,
} from '../../workflows/rules/definition.ts';
import type { Filter } from '../../workflows/rules/filters.ts';

/** The values of headers that were sent, by step and by name: encrypted, as base64. */
export type SealedHeaders = Record<string, Record<string, string>>;

export type WorkflowRecord = StoredRecord & {
  name: string;
  trigger: Trigger;
  steps: Step[];
  permissions: string[];
  api_version: string;
  version: number;
  status: 'draft' | 'active' | 'paused' | 'archived';
  paused_reason: string | null;
  activated_at: number | null;
  paused_at: number | null;
  archived_at: number | null;
  sealed_headers: SealedHeaders;
  /** Events with smaller ids came before the activation. Null unless the workflow is active. */
  active_from: string | null;
  signing_secret: Buffer;
  metadata?: Metadata;
};

const Permissions = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, uniqueItems: true });
const Status = named('WorkflowStatus', 'The status of a workflow.', oneOf('draft', 'active', 'paused', 'archived'));

/** A trigger or a step as a body has it. */
interface InputTrigger {
  type: string;
  filters?: Filter[];
}

const body = {
  name: SingleLine,
  trigger: TriggerSchema,
  steps: StepsSchema,
  permissions: Permissions,
};

const exampleSteps = [
  {
    id: 'check',
    action: 'api',
    for_each: 'event.data.object.customers',
    on_error: 'stop',
    path: '/v1/references',
    body: { application: '{{event.data.object.id}}', customer: '{{item}}' },
  },
];

/** Work that begins by itself when something happens. */
export const workflow = defineResource<WorkflowRecord>(
  {
    object: 'workflow',
    prefix: 'wf',
    path: 'workflows',
    table: 'workflows',
    docs: {
      description:
        'Steps that run when something happens. A trigger names the events. For each matching event, the server makes a workflow run, which takes the steps in their order.',
      example: {
        record: {
          name: 'Check all applicants',
          trigger: { type: 'application.created', filters: [{ path: 'data.object.unit', op: 'exists' }] },
          steps: exampleSteps,
          permissions: ['references.write'],
          api_version: '2026-11-01',
          version: 1,
          status: 'draft',
          paused_reason: null,
          activated_at: null,
          paused_at: null,
          archived_at: null,
          metadata: {},
          signing_secret: 'whsec_4nB7qTzYw2Xk9LrVd5Jp8McHf3Gs6Ea1',
        },
        before: { name: 'Check applicants', version: 1 },
        after: {
          activated: { status: 'active', activated_at: 1795321044 },
          paused: { status: 'paused', activated_at: 1795321044, paused_at: 1795322044 },
          archived: { status: 'archived', activated_at: 1795321044, archived_at: 1795323044 },
        },
      },
    },
    metadata: true,
    verbs: {
      activated: 'Events start runs from now on.',
      paused: 'Events start no runs. `paused_reason` says why, if the server has paused it.',
      archived: 'It has ended, and cannot be activated again.',
    },
    fields: {
      name: {
        column: 'text',
        schema: StoredLine,
        description: 'The name, which events of its runs show as their actor.',
      },
      trigger: { column: 'json', schema: TriggerSchema, description: 'The events that start a run.' },
      steps: { column: 'json', schema: StepsSchema, description: 'The steps, in their order: 1 to 20.' },
      permissions: {
        column: 'text[]',
        schema: Permissions,
        description: 'What its `api` steps may do. You can only give permissions that you hold yourself.',
      },
      api_version: {
        column: 'text',
        schema: Type.String(),
        description: 'The version of the events and bodies in its steps: that of your account when you made it.',
      },
      version: {
        column: 'integer',
        schema: Type.Integer(),
        description: 'Grows by one with each change of the definition. A run keeps its copy.',
      },
      status: {
        column: 'text',
        schema: Status,
        description: '`draft` until it is activated, then `active` or `paused`, and at last `archived`.',
      },
      paused_reason: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'Why the server has paused it. Null if it has not.',
      },
      activated_at: moment('When it was last activated', 'Null if it was not.'),
      paused_at: moment('When it was paused', 'Null if it is not paused.'),
      archived_at: moment('When it was archived', 'Null if it is not.'),
      sealed_headers: { column: 'json', schema: Type.Object({}), shown: 'never' },
      active_from: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
      signing_secret: {
        column: 'encrypted',
        schema: Type.String(),
        shown: 'as_secret',
        description:
          'The key for the signatures of its `http` steps: the whole text `whsec_…`. Keys with `workflows.write` see it when they create or retrieve the workflow.',
      },
    },
    filters: exactly({ status: described(Status, 'Only workflows with this status.') }),
    counted: ['status'],
    create: createFrom(
      body,
      (input, caller) => {
        const { written, sealed } = readDefinition(input, null, caller);
        requireSoundFor(written, caller.account.api_version, caller);
        requireConfirmationFor(written.steps, caller);
        return {
          name: input.name,
          ...written,
          api_version: caller.account.api_version,
          version: 1,
          status: 'draft',
          paused_reason: null,
          activated_at: null,
          paused_at: null,
          archived_at: null,
          sealed_headers: sealed,
          active_from: null,
          signing_secret: caller.makeSecret('whsec'),
        } as unknown as WorkflowRecord;
      },
      {
        alsoNeeds: ['events.read'],
        refusals: ['reauthentication_required'],
        description:
          'Creates a draft. Everything that can be known before a run is checked. Your key also needs `events.read`, and each permission that it gives to the workflow.',
        example: {
          name: 'Check all applicants',
          trigger: { type: 'application.created' },
          steps: exampleSteps,
          permissions: ['references.write'],
        },
      },
    ),
    update: updateFrom(
      {
        name: Type.Optional(body.name),
        trigger: Type.Optional(body.trigger),
        steps: Type.Optional(body.steps),
        permissions: Type.Optional(body.permissions),
      },
      (current, input, caller) => {
        requireStatus(current, ['draft', 'active', 'paused'], 'workflow', 'An archived workflow cannot be changed.');
        if (Object.keys(input).every((name) => name === 'metadata')) return { after: current };
        // The definition says which events leave the server, and where to.
        requirePermission('events.read', caller);
        const { trigger, steps, permissions, name } = { ...current, ...input };
        const { written, sealed } = readDefinition({ trigger, steps, permissions }, current, caller);
        requireSoundFor(written, current.api_version, caller);
        if (input.trigger || input.steps || input.permissions) requireConfirmationFor(written.steps, caller);
        return {
          after: { ...current, name, ...written, sealed_headers: sealed, version: current.version + 1 },
        };
      },
      {
        description:
          'Changes the definition, whose `version` grows. Runs that have begun keep their copy. Your key also needs `events.read`, and each permission of the workflow. A header that is null keeps its value if the URL leads to the same server.',
        example: { name: 'Check applicants' },
        secrets: ['headers'],
        refusals: ['reauthentication_required', 'status_transition_invalid'],
      },
    ),
    delete: 'removes',
    actions: {
      activate: {
        summary: 'Activate a workflow',
        description:
          'Events that follow start runs. Events from before do not. Your key also needs `events.read`, and each permission of the workflow.',
        permissions: ['workflows.write', 'events.read'],
        refusals: ['status_transition_invalid', 'email_unconfigured'],
        decide: activated,
      },
      pause: {
        summary: 'Pause a workflow',
        description: 'Events start no runs until you activate it again. Runs that have begun continue.',
        refusals: ['status_transition_invalid'],
        decide(current, { nowSeconds }) {
          requireStatus(current, ['active'], 'workflow', 'Only an active workflow can be paused.');
          return paused(current, nowSeconds, null);
        },
      },
      archive: {
        summary: 'Archive a workflow',
        description: 'Ends it for good. Runs that have begun continue. Delete a draft instead.',
        refusals: ['status_transition_invalid'],
        decide(current, { nowSeconds }) {
          requireStatus(
            current,
            ['active', 'paused'],
            'workflow',
            'Only an active or paused workflow can be archived.',
          );
          return {
            after: { ...current, status: 'archived', archived_at: nowSeconds, paused_at: null, active_from: null },
            verbs: ['archived'],
          };
        },
      },
    },
  },
  // An event is compared with each active one.
  limited(500),
  outsideLimit({ column: 'status', value: 'archived' }),
  inUse({
    refusal: 'status_transition_invalid',
    check: (current) =>
      requireStatus(
        current as WorkflowRecord,
        ['draft'],
        'workflow',
        'Only a draft can be deleted. Archive it instead.',
      ),
  }),
);

/** Returns the pause of a workflow. */
export function paused(current: WorkflowRecord, nowSeconds: number, reason: string | null): Change<WorkflowRecord> {
  return {
    after: { ...current, status: 'paused', paused_at: nowSeconds, paused_reason: reason, active_from: null },
    verbs: ['paused'],
  };
}

function activated(current: WorkflowRecord, caller: Caller): Change<WorkflowRecord> {
  requireStatus(current, ['draft', 'paused'], 'workflow', 'Only a draft or a paused workflow can be activated.');
  const lacking =
    current.permissions.find((permission) => !includesPermission(caller.permissions, permission)) ??
    lackingForEventsOf(current, caller);
  if (lacking !== null)
    throw new ApiError(
      'permission_denied',
      `You lack the permission \`${lacking}\`, which this workflow needs. Let a key with this permission activate it.`,
    );
  if (caller.firstEmailStatus === null && current.steps.some(({ action }) => action === 'email'))
    throw new ApiError(
      'email_unconfigured',
      'This workflow sends e-mails, and this deployment has no mail server. Set `TENURE_SMTP_URL` and `TENURE_EMAIL_FROM`, or remove the step.',
    );
  return {
    after: {
      ...current,
      status: 'active',
      activated_at: caller.nowSeconds,
      paused_at: null,
      paused_reason: null,
      active_from: caller.makeId('evt'),
    },
    verbs: ['activated'],
  };
}

/** Returns the permission that is lacking to see the events that start or resume the runs. Null if there is none. */
function lackingForEventsOf({ trigger, steps }: WorkflowRecord, caller: Caller): string | null {
  const awaited = steps.filter(({ action }) => action === 'wait_for_event').map(({ type }) => type!);
  for (const type of [trigger.type, ...awaited]) {
    const lacking = caller.lackingForEvents(type);
    if (lacking !== null) return lacking;
  }
  return null;
}

interface WrittenInput {
  trigger: InputTrigger;
  steps: InputStep[];
  permissions: string[];
}

/**
 * Returns the definition as it is stored. The values of its headers are encrypted, each by itself.
 *
 * @param earlier the workflow that the definition changes. A header without a value keeps the earlier one, but only for the same server.
 *   Else a key could send a value that it cannot read to a server of its own.
 */
function readDefinition(
  { trigger, steps, permissions }: WrittenInput,
  earlier: WorkflowRecord | null,
  caller: Caller,
): { written: Written & { steps: Step[]; permissions: string[] }; sealed: SealedHeaders } {
  const sealed: SealedHeaders = {};
  const stored = steps.map((step, index): Step => {
    const { headers } = step;
    if (!headers) return { ...step, on_error: step.on_error ?? 'stop' };
    const names = Object.keys(headers);
    const values = names.map((name, at): [string, string] => {
      const param = `steps[${index}][headers][${name}]`;
      requireHeaderName(param, name, names.slice(0, at));
      const value = headers[name]!;
      if (value === null) return [name, keptHeader(param, name, step, earlier)];
      if (!/^[\t\x20-\x7e]*$/.test(value))
        throw invalidParameter(param, 'The value of a header has only printable ASCII characters.');
      return [name, caller.encrypt(value).toString('base64')];
    });
    sealed[step.id] = Object.fromEntries(values);
    const shown = Object.fromEntries(names.map((name) => [name, null]));
    return { ...step, on_error: step.on_error ?? 'stop', headers: shown };
  });
  const written = {
    trigger: { type: trigger.type, filters: trigger.filters ?? [] },
    steps: stored,
    permissions: [...permissions],
  };
  return { written, sealed };
}

function requireHeaderName(param: string, name: string, others: readonly string[]): void {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    throw invalidParameter(param, 'The name of a header has only letters, digits and some signs such as `-`.');
  if (reservedHeaders.test(name)) throw invalidParameter(param, `The server sets \`${name}\` itself. Leave it out.`);
  const twin = others.find((other) => other.toLowerCase() === name.toLowerCase());
  if (twin !== undefined) throw invalidParameter(param, `\`${name}\` and \`${twin}\` are the same header. Send one.`);
}

/** Returns the sealed value that a header keeps. Only the server that it was written for gets it. */
function keptHeader(param: string, name: string, step: InputStep, earlier: WorkflowRecord | null): string {
  const values = Object.entries(earlier?.sealed_headers ?? {}).find(([id]) => id === step.id)?.[1] ?? {};
  if (!Object.hasOwn(values, name)) throw invalidParameter(param, `\`${name}\` has no value yet. Send one.`);
  const before = originOf(earlier?.steps.find(({ id }) => id === step.id)?.url);
  if (before === null || originOf(step.url) !== before)
    throw invalidParameter(
      param,
      `The URL leads to another server, which must not see the value of \`${name}\`. Send a value.`,
    );
  return values[name]!;
}

/** Returns the scheme, host and port of a URL, which have no templates. Null if there is none. */
function originOf(url: string | undefined): string | null {
  return URL.parse(url ?? '')?.origin ?? null;
}

/** Headers that say how a request is sent, or by whom. */
const reservedHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|user-agent|idempotency-key|service-.*)$/i;

/** Requires a confirmation of the person for steps that do what it could not do itself without one. */
function requireConfirmationFor(steps: readonly Step[], caller: Caller): void {
  // It sends events to others, as a webhook endpoint does.
  if (steps.some(({ action }) => action === 'http')) requireConfirmationInLive(caller);
  const asks = ({ path }: Step): boolean =>
    path !== undefined && operationAt(caller.stepOperations, path)?.asksForConfirmation === true;
  if (steps.some(asks)) caller.requireConfirmation();
}

function requireSoundFor(written: Written, apiVersion: string, caller: Caller): void {
  requireSound(written, {
    knownEventTypes: caller.knownEventTypes,
    knownPermissions: caller.knownPermissions,
    lackingForEvents: (type) => caller.lackingForEvents(type),
    held: caller.permissions,
    operations: caller.stepOperations,
    recordSchemaOf: (object) => caller.recordSchemaOf(object),
    isNewest: apiVersion === caller.apiVersions[0],
    faultOfUrl: (url) => targetUrlFault(url, { mode: caller.mode, allowed: caller.allowedTargets }),
  });
}
