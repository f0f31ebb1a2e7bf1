import type { Guard, StoredResponse } from '../../commit/write-request.ts';
import { toSeconds } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { isObject, type JsonObject } from '../../core/json-diff.ts';
import { parseJson } from '../../core/json.ts';
import { readList, type ListQuery } from '../../db/list-query.ts';
import { needsApproval } from '../../model/callers/approvals.ts';
import { newRecord, toDecision } from '../../model/change.ts';
import { idsAt } from '../../model/links.ts';
import { includesPermission, withReading } from '../../model/callers/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import { approvesRequests, type Approvals, type Approver } from '../../model/traits/approves-requests.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import type { HttpContext } from '../context.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { ApiRequest } from '../request.ts';
import { errorResponse } from '../response/errors.ts';
import { sensitivityOf, type WriteRoute } from '../route.ts';
import { fingerprintOf } from './idempotency.ts';

/** Characters of the header `Service-Reason`. */
const reasonLengthMax = 500;

/** A request of an agent that needs the approval of a person. */
export interface Gate {
  resource: Resource;
  approvals: Approvals;
  /** A hash of the request, as for its `Idempotency-Key`. */
  fingerprint: string;
  reason: string | null;
  /** The same request waits for its turn: it changes the same record. */
  lock: string;
}

/** The answer of the gate to a decided request. */
export type GateDecision =
  /** It is executed, and these changes use its approval up. */
  | { kind: 'open'; changes: RecordChange[]; guards: Guard[] }
  /** It is not executed. The response and these changes are stored instead, without its `Idempotency-Key`. */
  | { kind: 'closed'; changes: RecordChange[]; response: StoredResponse };

/**
 * Returns the gate of a valid request. Null if the request needs no approval.
 *
 * @param body the body as it was sent.
 * @param input the body in the newest shape.
 * @throws {ApiError} `request_invalid` if the reason of the agent is too long.
 */
export function gateOf(
  { resources }: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  body: JsonObject,
  input: JsonObject,
): Gate | null {
  const { principal, account } = request;
  const isByDefault = route.docs.isSensitiveByDefault?.(input, { payment_provider: account.paymentProvider });
  if (!needsApproval(principal.approvals, isByDefault || sensitivityOf(route), input)) return null;
  const resource = resources.find((candidate) => approvesRequests.has(candidate));
  if (!resource) throw new Error('Bug! No kind of record approves requests.');
  const fingerprint = fingerprintOf(request, body);
  return {
    resource,
    approvals: approvesRequests.of(resource)!,
    fingerprint,
    reason: reasonOf(request),
    lock: `${principal.id} ${fingerprint}`,
  };
}

/** @throws {ApiError} `request_invalid`. */
function reasonOf({ incoming }: ApiRequest): string | null {
  const header = onlyHeaderOf(incoming, 'Service-Reason')?.trim();
  if (header === undefined || header === '') return null;
  // HTTP headers arrive as Latin-1. Clients send UTF-8.
  const reason = Buffer.from(header, 'latin1').toString('utf8').toWellFormed();
  if (reason.length <= reasonLengthMax) return reason;
  throw new ApiError(
    'request_invalid',
    `The header \`Service-Reason\` has ${reason.length} characters. Send at most ${reasonLengthMax}.`,
  );
}

/**
 * Decides whether a request of an agent is executed now. That needs the approval of exactly this request of this API key, by a person that may
 * still approve it. The mutation of the request uses the approval up. So the revision of the approval lets only one request use it. Without
 * an approval the request waits, and an approval request is made, unless one is open.
 *
 * It runs after the decision of the request. So a person sees only requests that could be executed now.
 *
 * @param changes those of the request.
 */
export async function passGate(
  context: HttpContext,
  gate: Gate,
  request: ApiRequest,
  route: WriteRoute,
  changes: readonly RecordChange[],
): Promise<GateDecision> {
  const { resource, approvals } = gate;
  const nowSeconds = toSeconds(context.clock.nowMs());
  const record = await readNewest(context, gate, request);
  const state = record ? approvals.stateOf(record, nowSeconds) : 'none';
  if (record && state === 'pending') return closed(context, request, required(record.id), []);
  if (record && state === 'rejected') return closed(context, request, rejected(approvals, record), []);
  if (record && state === 'approved') {
    const guards = await approverGuards(context, approvals.approverOf(record), nowSeconds);
    if (guards) {
      const customerId = customerOf(context, changes, { isExecuted: true });
      const executed = approvals.execute(record, { requestId: request.id, customerId });
      return { kind: 'open', changes: toDecision(resource, record, executed).changes, guards };
    }
  }
  // It has expired and the duty has not ended it yet, or its approver may not approve any more.
  const end = record && approvals.end(record);
  const id = context.ids.make(resource.prefix);
  const after: StoredRecord = {
    ...approvals.hold({
      keyId: request.principal.id,
      fingerprint: gate.fingerprint,
      title: titleOf(route),
      operation: route.operationId,
      method: route.method,
      path: request.incoming.url.split('?', 1)[0]!,
      body: bodyOf(request),
      reason: gate.reason,
      customerId: customerOf(context, changes, { isExecuted: false }),
      nowSeconds,
    }),
    ...newRecord(id, request.accountId),
  };
  return closed(context, request, required(id), [
    ...(record && end ? toDecision(resource, record, end).changes : []),
    { resource, before: null, after },
  ]);
}

function equals(column: string, value: string): ListQuery['filters'][number] {
  return { filter: { column, match: 'exact', schema: {} }, value };
}

/** Reads the newest record of the same request. The mutation that changes it compares its revision. */
async function readNewest(
  { lister }: HttpContext,
  { resource, approvals, fingerprint }: Gate,
  { accountId, principal }: ApiRequest,
): Promise<StoredRecord | null> {
  const { records } = await readList(
    lister,
    resource,
    {
      accountId,
      filters: [equals(approvals.foundBy.keyId, principal.id), equals(approvals.foundBy.fingerprint, fingerprint)],
      created: {},
      limit: 1,
      offset: 0,
      cursor: null,
    },
    'all',
  );
  return records?.[0] ?? null;
}

/**
 * Returns the record of the approver as a guard, so that the approver keeps its rights until the commit. Returns null if the approver has lost
 * the permission.
 */
async function approverGuards(
  { resources, readRecord, config, permissionsOfPersons: known }: HttpContext,
  approver: Approver | null,
  nowSeconds: number,
): Promise<Guard[] | null> {
  if (!approver) return null;
  const resource = resources.find((candidate) => grantsRights.has(candidate) && isId(candidate.prefix, approver.id));
  const record = resource && (await readRecord(resource, approver.accountId, approver.id));
  if (!resource || !record) return null;
  const held = grantsRights.of(resource)!.permissionsOf(record, { mode: config.mode, nowSeconds, known });
  const isAllowed = includesPermission(new Set(held.flatMap(withReading)), approver.permission);
  return isAllowed ? [{ resource, record }] : null;
}

/** Returns the customer that the request is about: the changed one, or the one that the changed record names. */
function customerOf(
  { resources }: HttpContext,
  changes: readonly RecordChange[],
  { isExecuted }: { isExecuted: boolean },
): string | null {
  const persons = resources.find((resource) => resource.delete === 'erases');
  for (const { resource, before, after } of changes) {
    const record = after ?? before;
    // The id of a new customer is not that of the one that is made later.
    if (resource === persons && (before || isExecuted)) return record.id;
    const link = Object.entries(resource.links ?? {}).find(([, path]) => path === persons?.path)?.[0];
    const [linked] = link === undefined ? [] : idsAt(record, link);
    if (persons && linked && isId(persons.prefix, linked.id)) return linked.id;
  }
  return null;
}

/** Returns the body for the person. The log has the same text, so it is without secrets. */
function bodyOf({ bodyText }: ApiRequest): JsonObject | null {
  const body = bodyText === null ? null : parseJson(bodyText);
  return isObject(body) ? body : null;
}

function titleOf({ docs: { summary } }: WriteRoute): string {
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}

function closed(context: HttpContext, request: ApiRequest, refusal: ApiError, changes: RecordChange[]): GateDecision {
  return { kind: 'closed', changes, response: errorResponse(refusal, request.id, context.config, { isLogged: true }) };
}

function required(id: string): ApiError {
  return new ApiError(
    'approval_required',
    `A person has to approve this request in the dashboard (${id}). Nothing was changed. Send the same request again when it is approved.`,
    { approvalRequest: id },
  );
}

function rejected(approvals: Approvals, record: StoredRecord): ApiError {
  const reason = approvals.reasonOf(record);
  const why = reason === null ? '' : ` The reason: ${reason}`;
  return new ApiError(
    'approval_rejected',
    `A person has rejected this request (${record.id}). Nothing was changed. It is refused for an hour.${why}`,
    { approvalRequest: record.id },
  );
}
