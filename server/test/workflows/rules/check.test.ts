import { describe, expect, test } from 'vitest';
import { Type } from 'typebox';
import { ApiError } from '../../../src/core/errors.ts';
import { metadataSchema } from '../../../src/model/schemas/metadata.ts';
import { closedObject, nullable, oneOf } from '../../../src/model/schemas/make.ts';
import { isForPeople, operationAt, requireSound, type CheckFacts } from '../../../src/workflows/rules/check.ts';
import type { Step, Trigger } from '../../../src/workflows/rules/definition.ts';

const operations = [
  {
    path: '/v1/references',
    permissions: ['references.write'],
    members: ['application', 'customer'],
    required: ['application'],
    asksForConfirmation: false,
  },
  {
    path: '/v1/references/:id/cancel',
    permissions: ['references.write'],
    members: [],
    required: [],
    asksForConfirmation: false,
  },
  {
    path: '/v1/payments/imports',
    permissions: ['payments.write'],
    members: [],
    required: [],
    asksForConfirmation: false,
  },
  {
    path: '/v1/payments/:id',
    permissions: ['payments.write'],
    members: ['metadata'],
    required: [],
    asksForConfirmation: false,
  },
];

const referenceSchema = closedObject({
  id: Type.String(),
  customer: nullable(Type.String()),
  status: oneOf('pending', 'complete'),
  outcome: nullable(oneOf('accept', 'consider')),
  applicants: Type.Array(closedObject({ name: Type.String() })),
  metadata: metadataSchema,
  report: Type.Union([Type.Null(), closedObject({ pages: Type.Integer() })]),
});

const facts: CheckFacts = {
  knownEventTypes: ['reference.created', 'reference.completed', 'unit.updated', 'workflow.activated'],
  knownPermissions: ['references.read', 'references.write', 'customers.read', 'api_keys.write', 'workflows.write'],
  lackingForEvents: () => null,
  held: new Set(['references.read', 'references.write', 'customers.read', 'api_keys.write', 'workflows.write']),
  operations,
  recordSchemaOf: (object) => (object === 'reference' ? referenceSchema : null),
  isNewest: true,
  faultOfUrl: (url) => (url.startsWith('https://') ? null : 'The URL must begin with https://.'),
};

const api: Step = {
  id: 'check',
  action: 'api',
  on_error: 'stop',
  path: '/v1/references',
  body: { application: '{{event.data.object.id}}' },
};
const trigger: Trigger = { type: 'reference.created', filters: [] };
const wait: Step = { id: 'later', action: 'wait', on_error: 'stop', seconds: 5 };

/** Returns the refusal of a workflow, or null. */
function refusalOf(change: { trigger?: Trigger; steps?: Step[]; permissions?: string[] }): ApiError | null {
  try {
    requireSound({ trigger, steps: [api], permissions: ['references.write'], ...change }, facts);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('the check of a workflow', () => {
  test('accepts a workflow when all of it is known', () => {
    expect(refusalOf({})).toBeNull();
    expect(refusalOf({ trigger: { type: 'reference.*', filters: [] } })).toBeNull();
    expect(
      refusalOf({ steps: [api, { ...api, id: 'again', if: [{ path: 'steps.check.output.id', op: 'exists' }] }] }),
    ).toBeNull();
    expect(
      refusalOf({ steps: [{ ...api, path: '/v1/references/{{event.data.object.id}}/cancel', body: {} }] }),
    ).toBeNull();
    expect(refusalOf({ steps: [{ id: 'ask', action: 'approval', on_error: 'stop', title: 'Accept?' }] })).toBeNull();
  });

  test.each([
    'data.object.metadata.branch',
    'data.object.applicants.0.name',
    'data.object.report.pages',
    'data.previous_attributes.status',
    'data.object',
    'request.actor.type',
  ])('accepts the path %s when the record can have it', (path) => {
    expect(refusalOf({ trigger: { ...trigger, filters: [{ path, op: 'exists' }] } })).toBeNull();
  });

  test('accepts a template and null when the member is one of a list of words', () => {
    const awaited = { path: 'data.object.outcome', op: 'eq' as const, value: '{{event.data.object.outcome}}' };
    const step: Step = {
      id: 'news',
      action: 'wait_for_event',
      on_error: 'stop',
      type: 'reference.completed',
      filters: [awaited, { ...awaited, value: null }],
      timeout: 60,
    };
    expect(refusalOf({ steps: [step] })).toBeNull();
  });

  const http: Step = { id: 'send', action: 'http', on_error: 'stop', url: 'https://example.com/a' };
  const ask: Step = { id: 'ask', action: 'approval', on_error: 'stop', title: 'Accept?' };
  const filter = { path: 'data.object.status', op: 'eq' as const, value: 'complete' };
  test.each<[string, string | undefined, string, Parameters<typeof refusalOf>[0]]>([
    [
      'an unknown event',
      'trigger[type]',
      'reference.completed',
      { trigger: { type: 'reference.complete', filters: [] } },
    ],
    [
      'an event of workflows',
      'trigger[type]',
      'cannot start',
      { trigger: { type: 'workflow.activated', filters: [] } },
    ],
    ['all events', 'trigger[type]', 'There is no event', { trigger: { type: '*', filters: [] } }],
    [
      'a path outside of an event',
      'trigger[filters][0][path]',
      'data',
      { trigger: { ...trigger, filters: [{ ...filter, path: 'date.object.id' }] } },
    ],
    [
      'in without a list',
      'trigger[filters][0][value]',
      'list',
      { trigger: { ...trigger, filters: [{ ...filter, op: 'in' }] } },
    ],
    [
      'a member that the record has not',
      'trigger[filters][0][path]',
      'Did you mean `status`?',
      { trigger: { ...trigger, filters: [{ ...filter, path: 'data.object.statsu' }] } },
    ],
    [
      'a member of a link, which is an id',
      'steps[0][title]',
      'A link is an id',
      { steps: [{ ...ask, title: 'Accept {{event.data.object.customer.name}}?' }] },
    ],
    [
      'a member of a list without a position',
      'steps[0][title]',
      '`data.object.applicants.0`',
      { steps: [{ ...ask, title: 'Accept {{event.data.object.applicants.name}}?' }] },
    ],
    [
      'a word that the member cannot have',
      'trigger[filters][0][value]',
      'Did you mean `complete`?',
      { trigger: { ...trigger, filters: [{ ...filter, value: 'completed' }] } },
    ],
    [
      'a word that the member cannot have in a condition of a step',
      'steps[0][if][0][value]',
      'Did you mean `accept`?',
      { steps: [{ ...ask, if: [{ path: 'event.data.object.outcome', op: 'in', value: ['accepted', null] }] }] },
    ],
    ['two steps with one id', 'steps[1][id]', 'Two steps', { steps: [api, api] }],
    [
      'a later step',
      'steps[0][body]',
      'does not come before',
      { steps: [{ ...api, body: { application: '{{steps.later.output}}' } }, wait] },
    ],
    [
      'itself',
      'steps[0][body]',
      'does not come before',
      { steps: [{ ...api, body: { application: '{{steps.check.output}}' } }] },
    ],
    [
      'an unknown step',
      'steps[1][body]',
      '`check`',
      { steps: [api, { ...api, id: 'b', body: { application: '{{steps.chek.output}}' } }] },
    ],
    [
      'more than the output of a step',
      'steps[1][body]',
      'only its output',
      { steps: [api, { ...api, id: 'b', body: { application: '{{steps.check.error}}' } }] },
    ],
    [
      'an item without a list',
      'steps[0][body]',
      'for_each',
      { steps: [{ ...api, body: { application: '{{item}}' } }] },
    ],
    ['an unknown root', 'steps[0][body]', 'must begin', { steps: [{ ...api, body: { application: '{{env.KEY}}' } }] }],
    ['broken braces', 'steps[0][body]', 'double braces', { steps: [{ ...api, body: { application: '{{event.id' } }] }],
    ['an unknown path', 'steps[0][path]', '/v1/references', { steps: [{ ...api, path: '/v1/reference' }] }],
    [
      'an unknown member of a body',
      'steps[0][body][aplication]',
      'application',
      { steps: [{ ...api, body: { aplication: 'a', application: 'b' } }] },
    ],
    ['a missing member of a body', 'steps[0][body][application]', 'needs', { steps: [{ ...api, body: {} }] }],
    [
      'a member of another action',
      'steps[0][url]',
      'has no `url`',
      { steps: [{ ...api, url: 'https://example.com' }] },
    ],
    [
      'a missing member',
      'steps[0][path]',
      'needs the parameter `path`',
      { steps: [{ id: 'check', action: 'api', on_error: 'stop' }] },
    ],
    ['two kinds of waiting', 'steps[0][seconds]', 'either', { steps: [{ ...wait, until: 'event.created' }] }],
    ['a missing permission for a step', 'permissions', 'references.write', { permissions: [] }],
    [
      'an unknown permission',
      'permissions[1]',
      'references.write',
      { permissions: ['references.write', 'reference.write'] },
    ],
    [
      'a permission for people',
      'permissions[1]',
      'for people',
      { permissions: ['references.write', 'api_keys.write'] },
    ],
    [
      'a template in the host',
      'steps[0][url]',
      'host',
      { steps: [{ ...http, url: 'https://{{event.id}}.example.com/' }] },
    ],
    [
      'a template that continues the host',
      'steps[0][url]',
      'host',
      { steps: [{ ...http, url: 'https://example.com{{event.id}}/' }] },
    ],
    ['a forbidden URL', 'steps[0][url]', 'https', { steps: [{ ...http, url: 'http://example.com/' }] }],
    [
      'an e-mail without the permission to read customers',
      'permissions',
      'customers.read',
      { steps: [{ id: 'tell', action: 'email', on_error: 'stop', to: 'cus_1', subject: 'a', text: 'b' }] },
    ],
  ])('refuses %s, with the parameter, when the workflow is made', (_, param, says, change) => {
    const refusal = refusalOf(change);
    expect(refusal?.param).toBe(param);
    expect(refusal?.message).toContain(says);
  });

  test('refuses a permission that the maker lacks', () => {
    const refusal = (() => {
      try {
        requireSound(
          { trigger, steps: [api], permissions: ['references.write'] },
          { ...facts, held: new Set(['references.read']) },
        );
      } catch (error) {
        return error as ApiError;
      }
      return null;
    })();
    expect(refusal?.code).toBe('permission_denied');
  });

  test('never gives a workflow a permission for people', () => {
    for (const name of [
      'api_keys.read',
      'retention_holds.read',
      'accounts.write',
      'portal_sessions.write',
      'workflows.write',
      'approval_requests.write',
    ])
      expect(isForPeople(name), name).toBe(true);
    for (const name of ['accounts.read', 'references.write', 'workflow_runs.write'])
      expect(isForPeople(name), name).toBe(false);
  });

  test('finds the operation of a path, and prefers one without an id', () => {
    expect(operationAt(operations, '/v1/payments/imports')?.path).toBe('/v1/payments/imports');
    expect(operationAt(operations, '/v1/payments/{{event.data.object.id}}')?.path).toBe('/v1/payments/:id');
    for (const path of [
      '/v1/payments/a/b',
      '/v1/payments/',
      'v1/payments',
      '/v1/payments/a?b=c',
      '/v1/payments/{{a}}{{b}}',
      '/v1/payments/:id',
    ])
      expect(operationAt(operations, path), path).toBeUndefined();
  });
});
