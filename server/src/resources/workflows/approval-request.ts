import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { Id } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { newRecord } from '../../model/change.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { LinkedId } from '../../model/schemas/fields.ts';
import type { FieldsOf, StoredRecord } from '../../model/record.ts';
import { actionFrom, defineResource, exactly, type Change, type RecordChange } from '../../model/resource.ts';
import { named, nullable, oneOf } from '../../model/schemas/make.ts';
import { approvesRequests } from '../../model/traits/approves-requests.ts';
import { constrained } from '../../model/traits/constrained.ts';
import { decidedByPersons } from '../../model/traits/decided-by-persons.ts';
import { expires } from '../../model/traits/expires.ts';
import { personalTexts } from '../../model/traits/personal-texts.ts';
import { testControls } from '../../model/traits/test-controls.ts';

const hour = 3600;

/** How long a request waits for a person, in seconds. */
const pendingSeconds = 24 * hour;

/** How long an agent can use an approval, in seconds. */
const approvedSeconds = hour;

/** How long the same request gets the rejection, in seconds. Then a person can be asked again. */
const rejectedSeconds = hour;

const reasonLengthMax = 500;

const Status = named(
  'ApprovalRequestStatus',
  'The status of an approval request.',
  oneOf('pending', 'approved', 'executed', 'rejected', 'canceled', 'expired'),
);
const ApprovalType = named(
  'ApprovalRequestType',
  'What an approval request is for.',
  oneOf('agent_request', 'workflow_step'),
);
const Text = nullable(Type.String());
const Time = nullable(Type.Integer());

export type ApprovalRequestRecord = StoredRecord & {
  type: 'agent_request' | 'workflow_step';
  status: 'pending' | 'approved' | 'executed' | 'rejected' | 'canceled' | 'expired';
  title: string;
  workflow_run: string | null;
  api_key: string | null;
  customer: string | null;
  operation: string | null;
  method: string | null;
  path: string | null;
  request_body: JsonObject | null;
  reason: string | null;
  /** In seconds. Null for an approved step of a workflow, which does not expire. */
  expires_at: number | null;
  decided_by: string | null;
  decided_at: number | null;
  decision_reason: string | null;
  executed_request: string | null;
  /** Null for a step of a workflow. */
  fingerprint: string | null;
  /** The account of the approver, and the permission by which it has approved. */
  approver_account: string | null;
  approver: string | null;
  approver_permission: string | null;
};

const decisionBody = {
  reason: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: reasonLengthMax,
        description: 'Why you decide so. The agent gets the reason of a rejection.',
      }),
    ),
  ),
};

/** A request of an agent, or a step of a workflow, that waits for a person. */
export const approvalRequest = defineResource<ApprovalRequestRecord>(
  {
    object: 'approval_request',
    prefix: 'apr',
    path: 'approval_requests',
    table: 'approval_requests',
    docs: {
      description:
        'A question to a person: may an agent do this, or may a workflow continue? A sensitive request of an agent’s key gets 403 (`approval_required`) with the id of an approval request. A person decides in the dashboard. Once it is approved, the agent sends the same request again, and it is executed, once.',
      example: {
        record: {
          type: 'agent_request',
          status: 'executed',
          title: 'Cancel a reference',
          workflow_run: null,
          api_key: 'key_0VbZq7hM00eR5tBvNx1Zs9',
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          operation: 'references_cancel',
          method: 'POST',
          path: '/v1/references/ref_0VbZqBwA00kD2vRj7cQe5H/cancel',
          request_body: null,
          reason: 'The applicant has withdrawn.',
          expires_at: 1795241227,
          decided_by: 'usr_0VbZq7hM00eR5tBvNx1Zs9',
          decided_at: 1795237627,
          decision_reason: null,
          executed_request: 'req_0VbZqGdE00sY6nPh2kXm8T',
        },
        before: { status: 'approved', executed_request: null },
        after: {
          created: {
            status: 'pending',
            expires_at: 1795324027,
            decided_by: null,
            decided_at: null,
            executed_request: null,
          },
          approved: { status: 'approved', executed_request: null },
          rejected: {
            status: 'rejected',
            decision_reason: 'She has only changed her number.',
            executed_request: null,
          },
          canceled: { status: 'canceled', decided_by: null, decided_at: null, executed_request: null },
          expired: { status: 'expired', decided_by: null, decided_at: null, executed_request: null },
        },
      },
    },
    verbs: {
      created: 'An agent has sent a sensitive request, or a workflow has reached a step that a person approves.',
      approved: 'A person has approved it.',
      rejected: 'A person has rejected it.',
      canceled: 'The API key that made it has taken it back.',
      expired:
        'No person has decided in time, or the approval was not used in time. An erasure of its request has the same effect.',
      executed: 'The approved request of the agent was executed. `executed_request` is its log.',
    },
    links: { workflow_run: 'workflow_runs', customer: 'customers' },
    fields: {
      type: {
        column: 'text',
        schema: ApprovalType,
        description: '`agent_request`: a request of an agent’s key. `workflow_step`: a step of a workflow.',
      },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`pending`: a person has to decide, within 24 hours. `approved`: the agent can send the request within an hour. `executed`: it was executed. `rejected`: for an hour, the same request is refused. `canceled`: the API key has taken it back. `expired`: the time is over, or an erasure has emptied the request.',
      },
      title: {
        column: 'text',
        schema: Type.String(),
        description: 'The action that waits for the approval, in a few words.',
      },
      workflow_run: {
        column: 'text',
        schema: Text,
        description: 'The run whose step waits. Null for a request of an agent.',
      },
      api_key: {
        column: 'text',
        schema: Text,
        description: 'The API key of the agent. Null for a step of a workflow.',
      },
      customer: {
        column: 'text',
        schema: Text,
        description:
          'The customer that the request is about, so that an erasure finds it. Null if there is none. A request that makes a customer has it once it is executed. A step of a workflow has the first customer of its event.',
      },
      operation: {
        column: 'text',
        schema: Text,
        description: 'The operation, as the API docs name it: `references_cancel`. Null for a step of a workflow.',
      },
      method: { column: 'text', schema: Text, description: 'The HTTP method. Null for a step of a workflow.' },
      path: { column: 'text', schema: Text, description: 'The path. Null for a step of a workflow.' },
      request_body: {
        column: 'json',
        schema: nullable(Type.Object({}, { additionalProperties: true })),
        description:
          'The body as the agent sent it, without secrets. Null if there is none, or if its customer or record was erased. Also null if you lack the permission to read records of its kind.',
      },
      reason: {
        column: 'text',
        schema: Text,
        description: 'Why the agent wants this: the header `Service-Reason`. Null if it was not sent.',
      },
      expires_at: {
        column: 'bigint',
        schema: Time,
        description:
          'When it expires, in seconds since the Unix epoch. A pending request expires after 24 hours, and an approved one an hour after the approval. Null for an approved step of a workflow.',
      },
      decided_by: {
        column: 'text',
        schema: Text,
        description: 'The user that has approved or rejected it. Null if a test helper of a sandbox has.',
      },
      decided_at: {
        column: 'bigint',
        schema: Time,
        description: 'When it was approved or rejected, in seconds since the Unix epoch. Null until then.',
      },
      decision_reason: {
        column: 'text',
        schema: Text,
        description: 'The reason of the decision. Null if there is none.',
      },
      executed_request: {
        column: 'text',
        schema: Text,
        description: 'The id of the request that was executed, and of its log. Null until then.',
      },
      fingerprint: { column: 'text', schema: Text, shown: 'never' },
      approver_account: { column: 'text', schema: Text, shown: 'never' },
      approver: { column: 'text', schema: Text, shown: 'never' },
      approver_permission: { column: 'text', schema: Text, shown: 'never' },
    },
    filters: exactly({ status: Status, type: ApprovalType, workflow_run: LinkedId }),
    counted: ['status', 'type'],
    actions: {
      approve: actionFrom(decisionBody, approveAsPerson, {
        summary: 'Approve a request',
        description:
          'Approves a pending request. The agent can send its request within an hour, and it is executed once. A step of a workflow continues. Only a person approves, who has confirmed its identity in the last 15 minutes.',
        example: { reason: 'She has called us.' },
        refusals: ['reauthentication_required', 'person_required', 'status_transition_invalid'],
      }),
      reject: actionFrom(decisionBody, rejectAsPerson, {
        summary: 'Reject a request',
        description:
          'Rejects a pending request. For an hour, the same request of the agent gets 403 (`approval_rejected`) with your reason. Only a person rejects, who has confirmed its identity in the last 15 minutes.',
        example: { reason: 'She has only changed her number.' },
        refusals: ['reauthentication_required', 'person_required', 'status_transition_invalid'],
      }),
      cancel: {
        summary: 'Cancel an approval request',
        description: 'Takes a pending request back. Only the API key that made it can.',
        permissions: ['approval_requests.read'],
        sensitive: 'never',
        refusals: ['status_transition_invalid'],
        decide: cancel,
      },
    },
  },
  decidedByPersons(),
  approvesRequests({
    foundBy: { keyId: 'api_key', fingerprint: 'fingerprint' },
    asks: { path: 'path', body: 'request_body' },
    hold: ({ keyId, customerId, body, nowSeconds, ...request }) => ({
      ...unasked,
      ...request,
      type: 'agent_request',
      api_key: keyId,
      customer: customerId,
      request_body: body,
      expires_at: nowSeconds + pendingSeconds,
    }),
    stateOf: (record, nowSeconds) => stateOf(record as ApprovalRequestRecord, nowSeconds),
    reasonOf: (record) => (record as ApprovalRequestRecord).decision_reason,
    approverOf: (record) => approverOf(record as ApprovalRequestRecord),
    execute: (record, { requestId, customerId }) => {
      const current = record as ApprovalRequestRecord;
      const customer = current.customer ?? customerId;
      return { after: { ...current, customer, status: 'executed', executed_request: requestId }, verbs: ['executed'] };
    },
    end: (record) => expire(record as ApprovalRequestRecord),
  }),
  expires({ statuses: ['pending', 'approved'], end: (record) => expire(record as ApprovalRequestRecord) }),
  // Two processes can hold the same request at the same moment. The second one finds the first one's record when it decides again.
  constrained({
    names: ['approval_requests_open'],
    refusal: () =>
      new ApiError(
        'idempotency_key_in_use',
        'The same request is being held for approval. Nothing was executed. Send it again to get the id of its approval request.',
      ),
  }),
  personalTexts({
    links: ['customer'],
    person: 'customer',
    asks: { path: 'path', body: 'request_body', executed: 'executed_request', run: 'workflow_run' },
    texts: { request_body: () => null, reason: () => null, decision_reason: () => null },
    inputs: { reason: null },
  }),
  testControls({
    approve: {
      summary: 'Approve a request',
      description:
        'Sandbox only. Approves a pending request in the place of a person, for tests without a browser. No key of an agent can.',
      example: { reason: 'She has called us.' },
      action: actionFrom(
        decisionBody,
        (current: ApprovalRequestRecord, caller, { reason }) => approve(current, caller, reason),
        {
          permissions: ['accounts.write'],
          refusals: ['status_transition_invalid'],
        },
      ),
    },
    reject: {
      summary: 'Reject a request',
      description:
        'Sandbox only. Rejects a pending request in the place of a person, for tests without a browser. No key of an agent can.',
      example: { reason: 'She has only changed her number.' },
      action: actionFrom(
        decisionBody,
        (current: ApprovalRequestRecord, caller, { reason }) => reject(current, caller, reason),
        {
          permissions: ['accounts.write'],
          refusals: ['status_transition_invalid'],
        },
      ),
    },
  }),
);

/** The fields of a new request that are the same for all. */
const unasked = {
  status: 'pending',
  workflow_run: null,
  api_key: null,
  customer: null,
  operation: null,
  method: null,
  path: null,
  request_body: null,
  reason: null,
  decided_by: null,
  decided_at: null,
  decision_reason: null,
  executed_request: null,
  fingerprint: null,
  approver_account: null,
  approver: null,
  approver_permission: null,
} satisfies Partial<FieldsOf<ApprovalRequestRecord>>;

/**
 * Makes the approval request of a workflow's step. The decision that sets the run to `waiting` returns this change, too. So both changes are
 * committed, or neither. Keep the id of the approval request in the step.
 *
 * Let the run continue on one of three events: `approval_request.approved`, `.rejected` or `.expired`. Their object names the run in
 * `workflow_run`, and the person's reason in `decision_reason`. An approved step does not expire, so the run may continue at any time. If the
 * run ends before a decision, the same change ends the request: see `endStepApproval`.
 *
 * @param step.customer the customer that the title is about, so that an erasure finds it. Leave it out if there is none.
 * @param step.timeoutSeconds how long the request waits for a person. The default is 24 hours.
 */
export function requestStepApproval(
  { id, accountId, nowSeconds }: { id: Id<'apr'>; accountId: string; nowSeconds: number },
  step: { workflowRun: string; title: string; timeoutSeconds?: number; customer?: string },
): RecordChange {
  const after: ApprovalRequestRecord = {
    ...newRecord(id, accountId),
    ...unasked,
    type: 'workflow_step',
    title: step.title,
    workflow_run: step.workflowRun,
    customer: step.customer ?? null,
    expires_at: nowSeconds + (step.timeoutSeconds ?? pendingSeconds),
  };
  return { resource: approvalRequest, before: null, after };
}

/**
 * Ends the pending approval request of a workflow's run that ends, or whose time is over. Returns null if a person has decided, or if the
 * request has ended: then there is nothing to change.
 */
export function endStepApproval(before: ApprovalRequestRecord, as: 'canceled' | 'expired'): RecordChange | null {
  if (before.status !== 'pending') return null;
  const after = { ...before, status: as, revision: before.revision + 1 };
  return { resource: approvalRequest, before, after, verbs: [as] };
}

function stateOf(
  { status, expires_at: expiresAt, decided_at: decidedAt }: ApprovalRequestRecord,
  nowSeconds: number,
): 'pending' | 'approved' | 'rejected' | 'none' {
  if (status === 'rejected') return nowSeconds < (decidedAt ?? 0) + rejectedSeconds ? status : 'none';
  if (status !== 'pending' && status !== 'approved') return 'none';
  return expiresAt !== null && expiresAt <= nowSeconds ? 'none' : status;
}

function approverOf(record: ApprovalRequestRecord): { accountId: string; id: string; permission: string } | null {
  const { approver_account: accountId, approver: id, approver_permission: permission } = record;
  return accountId === null || id === null || permission === null ? null : { accountId, id, permission };
}

function approveAsPerson(
  current: ApprovalRequestRecord,
  caller: Caller,
  { reason }: { reason?: string | null },
): Change<ApprovalRequestRecord> {
  caller.requireConfirmation();
  return approve(current, caller, reason);
}

function rejectAsPerson(
  current: ApprovalRequestRecord,
  caller: Caller,
  { reason }: { reason?: string | null },
): Change<ApprovalRequestRecord> {
  caller.requireConfirmation();
  return reject(current, caller, reason);
}

function approve(
  current: ApprovalRequestRecord,
  caller: Caller,
  reason: string | null = null,
): Change<ApprovalRequestRecord> {
  requirePending(current, caller);
  const { nowSeconds, person } = caller;
  return {
    after: {
      ...decided(current, caller, reason),
      status: 'approved',
      expires_at: current.type === 'agent_request' ? nowSeconds + approvedSeconds : null,
      approver_account: caller.actorAccountId,
      approver: caller.actorId,
      approver_permission: person ? 'approval_requests.write' : 'accounts.write',
    },
    verbs: ['approved'],
  };
}

function reject(
  current: ApprovalRequestRecord,
  caller: Caller,
  reason: string | null = null,
): Change<ApprovalRequestRecord> {
  requirePending(current, caller);
  return { after: { ...decided(current, caller, reason), status: 'rejected' }, verbs: ['rejected'] };
}

function decided(
  current: ApprovalRequestRecord,
  { nowSeconds, person }: Caller,
  reason: string | null,
): ApprovalRequestRecord {
  return { ...current, decided_by: person?.id ?? null, decided_at: nowSeconds, decision_reason: reason };
}

function cancel(current: ApprovalRequestRecord, caller: Caller): Change<ApprovalRequestRecord> {
  if (current.api_key !== caller.actorId)
    throw new ApiError(
      'status_transition_invalid',
      `Only the API key that made ${current.id} can cancel it. A person can reject it in the dashboard.`,
    );
  if (current.status === 'canceled') return { after: current };
  requirePending(current, caller);
  return { after: { ...current, status: 'canceled' }, verbs: ['canceled'] };
}

function expire(current: ApprovalRequestRecord): Change<ApprovalRequestRecord> | null {
  if (current.status !== 'pending' && current.status !== 'approved') return null;
  return { after: { ...current, status: 'expired' }, verbs: ['expired'] };
}

/** @throws {ApiError} `status_transition_invalid`. */
function requirePending(current: ApprovalRequestRecord, { nowSeconds }: Caller): void {
  const state = stateOf(current, nowSeconds);
  if (state === 'pending') return;
  const isOver = current.status === 'pending' || (current.status === 'approved' && state === 'none');
  const status = isOver ? 'expired' : current.status;
  throw new ApiError(
    'status_transition_invalid',
    `The approval request ${current.id} is ${status}. Only a pending one can be decided or canceled. ${isOver && current.type === 'agent_request' ? 'The agent can send its request again.' : 'Choose another one.'}`,
  );
}
