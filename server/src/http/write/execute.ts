import { NoRoomToDecideError, type DecisionRoom } from '../../commit/decision-room.ts';
import type { Guard, Outcome, StoredResponse, WriteDecision, WriteRequest } from '../../commit/write-request.ts';
import { withRollUps } from '../../commit/roll-ups.ts';
import { ApiError } from '../../core/errors.ts';
import { queuedEmail } from '../../email/queue.ts';
import { isId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { DatabaseError, UnavailableError } from '../../db/pools.ts';
import type { Decision } from '../../model/change.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import { cached } from '../../model/traits/cached.ts';
import { constrained } from '../../model/traits/constrained.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import type { HttpContext } from '../context.ts';
import { errorInVersion } from '../pipeline/api-version.ts';
import { requireAccessAgain } from '../pipeline/access.ts';
import { authenticateUncached } from '../pipeline/authenticate.ts';
import type { ApiRequest } from '../request.ts';
import { apiErrorOf, errorResponse, internalError } from '../response/errors.ts';
import { renderExpanded } from '../response/expand.ts';
import { openSecrets, redact } from '../response/render.ts';
import type { WriteRoute } from '../route.ts';
import { runAfterCommit, untilKnownEverywhere } from './after-commit.ts';
import { gateOf, passGate, type Gate } from './approval.ts';
import { callerOf } from './caller.ts';
import { claimOf, keyInUse, readStoredResponse, type Claim, type RecentKeys } from './idempotency.ts';
import { requireOneLeft } from './last-of-kind.ts';
import { requireLinkedRecords } from './linked-records.ts';
import { omitBodyAboutErased } from './log-only.ts';
import { isRepeat, replay, replayOrRefuse, type ExecutedWrite } from './replay.ts';
import { requestFacts } from './request-facts.ts';

export type { DecisionRoom };

/**
 * Executes a valid mutating request. Every response, even an error, is stored with its log and its key before it is sent. A key that was
 * used before gets its stored response.
 *
 * @throws {ApiError} if nothing is stored: a key in use, or one used for another request.
 * @throws {UnavailableError} if nothing can be stored.
 */
export async function executeWrite(
  context: HttpContext,
  recentKeys: RecentKeys,
  request: ApiRequest,
  route: WriteRoute,
  body: JsonObject,
): Promise<ExecutedWrite> {
  const claim = claimOf(request, body);
  const input = context.versions.convertBody(route.object, body, request.version, context.versions.newest);
  // Otherwise the request would be decided, written and rolled back, with its whole batch, before it is replayed. A replay executes nothing.
  // So it does not hold the key, and repeats at the same time do not refuse each other.
  if (claim && recentKeys.mayBeAnswered(claim)) {
    const replayed = await replay(context, request, route, claim);
    if (replayed) return replayed;
  }
  return recentKeys.hold(claim, async () => {
    const gate = gateOf(context, request, route, body, input);
    // A held request leaves its key free. So only a request that was executed has a stored response.
    const executed = gate && claim && (await replay(context, request, route, claim));
    if (executed) return executed;
    if (route.beforeCommit && !(await isRepeat(context, request, claim))) await route.beforeCommit(request, input);
    const executeNow = (): Promise<Outcome> => executeOnce(context, request, route, input, claim, gate);
    const outcome = await (route.inTurn ? route.inTurn(request, executeNow) : executeNow());
    switch (outcome.kind) {
      case 'committed':
        if (!outcome.response) throw new Error('Bug! A request was committed without a response.');
        if (outcome.response.status === 200) await runAfterCommit(context, request, route);
        if (!isHeld(outcome.response)) recentKeys.addAnswered(claim);
        return { response: outcome.response, replayed: null };
      case 'key_locked':
        throw keyInUse();
      case 'key_completed':
        recentKeys.addAnswered(claim);
        return replayOrRefuse(context, request, route, claim!);
      case 'refused':
        throw new UnavailableError(false, outcome.error);
    }
  });
}

/** Executes the request. If it has become invalid with time, replays the response from when it was valid. */
async function executeOnce(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  claim: Claim | null,
  gate: Gate | null,
): Promise<Outcome> {
  try {
    return await execute(context, request, route, input, claim, gate);
  } catch (error) {
    const stored =
      claim &&
      error instanceof ApiError &&
      (await readStoredResponse(context, request.accountId, claim, request.startedMs));
    if (stored) return { kind: 'key_completed' };
    throw error;
  }
}

async function execute(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  claim: Claim | null,
  gate: Gate | null,
): Promise<Outcome> {
  const writeRequest: Omit<WriteRequest, 'decide'> = {
    accountId: request.accountId,
    payer: request.payer,
    request: requestFacts(context, request),
    claim,
    locks: [...(await route.locks(request, input)), ...(gate ? [gate.lock] : [])],
  };
  let delayMs = 0;
  const decideNow = async (room: DecisionRoom): Promise<WriteDecision> => {
    const decision = await decide(context, request, route, input, gate, room);
    delayMs = delayOfOthers(context, decision.changes);
    return decision;
  };
  const commit = (): Promise<Outcome> => context.committer.commit({ ...writeRequest, decide: decideNow });
  let outcome = await commit();
  // The decision did not see the other record. It sees it now, and can name it.
  if (ruleBroken(context, outcome)) outcome = await commit();
  // The time of the route comes after this.
  if (outcome.kind === 'committed') await untilKnownEverywhere(delayMs - route.propagationDelayMs);
  if (outcome.kind !== 'refused') return outcome;
  const broken = ruleBroken(context, outcome);
  if (broken) {
    const refusal = errorResponse(broken, request.id, context.config, { isLogged: true });
    return context.committer.commit({ ...writeRequest, decide: async () => ({ changes: [], response: refusal }) });
  }

  // A decision that breaks the database's rules is a bug of ours. Its response is stored like any other. The log omits the error's
  // detail, because it contains the row.
  const { code, message, constraint } = outcome.error as DatabaseError;
  context.log.error({ request: request.id, code, message, constraint }, 'the database refused a change');
  const response = errorResponse(internalError(outcome.error), request.id, context.config, { isLogged: true });
  return context.committer.commit({ ...writeRequest, decide: async () => ({ changes: [], response }) });
}

/**
 * Returns how long other processes may use outdated copies of the records that change with the asked one, in milliseconds. For example, a new
 * e-mail address of a person ends sessions.
 */
function delayOfOthers({ resources }: HttpContext, [, ...others]: readonly RecordChange[]): number {
  const kinds = new Set(others.map(({ resource }) => resource.object));
  return Math.max(0, ...resources.map((resource) => (kinds.has(resource.object) ? (cached.of(resource) ?? 0) : 0)));
}

/** Returns the refusal of a change that breaks a rule between records, which the database keeps. Returns null for any other outcome. */
function ruleBroken(context: HttpContext, outcome: Outcome): ApiError | null {
  return outcome.kind === 'refused' ? refusalOfConstraint(context, outcome.error) : null;
}

/** Returns the refusal of a change that the database has rejected by a rule between records. Returns null for any other error. */
export function refusalOfConstraint({ resources }: HttpContext, error: unknown): ApiError | null {
  if (!(error instanceof DatabaseError)) return null;
  const { constraint } = error;
  const rules = resources.flatMap((resource) => constrained.of(resource) ?? []);
  return rules.find(({ names }) => constraint !== undefined && names.includes(constraint))?.refusal() ?? null;
}

/**
 * Decides, and returns all changes with the response.
 *
 * @param room counts the records that it reads.
 * @param gate holds the request for a person. Null if none has to approve it.
 * @throws {ApiError} for a refusal.
 */
export async function decideWrite(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  room: DecisionRoom,
  gate: Gate | null = null,
): Promise<WriteDecision & { response: StoredResponse }> {
  const guards = await actingRecord(context, request, gate ? { requiresSamePrincipal: true } : route);
  const deciding = { ...context, readRecord: room.readerOf(context.readRecord) };
  const decision = await route.decide(request, input, callerOf(context, request, { isGated: gate !== null }), deciding);
  if ('answer' in decision) {
    const { answer, logged } = decision;
    const body = textIn(context, request, answer);
    if (!logged) return { changes: [], response: { status: 200, body } };
    const secret = { redactedBody: textIn(context, request, logged), encryptedBody: noCopy };
    return { changes: [], response: { status: 200, body, secret }, leavesKeyFree: true };
  }
  if ('clockAdvance' in decision) {
    const { clockAdvance, response } = decision;
    return { changes: [], clockAdvance, response: { status: 200, body: textIn(context, request, response) } };
  }
  guards.push(...(decision.guards ?? []));
  guards.push(...(await requireLinkedRecords(deciding, request, decision.changes)));
  guards.push(...(await requireOneLeft(deciding, decision.changes)));
  const changes = await withRollUps(deciding, request.accountId, decision.changes);
  if (gate) {
    const passed = await passGate(deciding, gate, request, route, changes);
    if (passed.kind === 'closed') {
      await omitBodyAboutErased(context, request, passed.response);
      return { changes: passed.changes, response: passed.response, leavesKeyFree: true };
    }
    changes.push(...passed.changes);
    guards.push(...passed.guards);
  }
  // The record may sum up others that change with it, so the response shows it with the sums.
  const [asked = decision.changes[0], ...others] = changes;
  const decided = { ...decision, changes: [asked, ...others] as Decision['changes'] };
  const response = await responseOf(contextAfter(deciding, changes), request, route, decided);
  for (const toSend of decision.emails ?? []) {
    const queued = queuedEmail(context, request.account, toSend);
    if (queued) changes.push(queued);
  }
  return { changes, guards, deliveries: decision.deliveries ?? [], response };
}

/** Returns whether a request was held for a person, or rejected by one. It may be executed later with the same key. */
function isHeld({ error }: StoredResponse): boolean {
  return error?.code === 'approval_required' || error?.code === 'approval_rejected';
}

/**
 * Decides while the request still has its access. It may have waited for room, or for a change of the same record. And a decision that reads
 * much can take longer than a revocation waits. So the access is checked again before it, and right before the change is written.
 *
 * @throws {ApiError} if the access has ended. Then nothing is stored.
 */
async function decide(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  gate: Gate | null,
  room: DecisionRoom,
): Promise<WriteDecision> {
  await requireAccessAgain(request, context);
  const decision = await decideOrRefuse(context, request, route, input, gate, room);
  await requireAccessAgain(request, context);
  return decision;
}

/** Decides, and converts a refusal to the response that is stored. Without a database there is no decision. */
async function decideOrRefuse(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  gate: Gate | null,
  room: DecisionRoom,
): Promise<WriteDecision> {
  try {
    return await decideWrite(context, request, route, input, room, gate);
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof NoRoomToDecideError) throw error;
    const apiError = errorInVersion(context.versions, apiErrorOf(error, request), route.object, request.version);
    if (isValidation(apiError)) throw apiError;
    if (apiError.code === 'internal') context.log.error({ request: request.id, err: error }, 'a request failed');
    const response = errorResponse(apiError, request.id, context.config, { isLogged: true });
    await omitBodyAboutErased(context, request, response);
    return { changes: [], response };
  }
}

/**
 * Reads the acting key or user anew if the route requires it. Another process may end or change its rights before the commit. So the commit
 * requires the record as it is here.
 */
async function actingRecord(
  context: HttpContext,
  request: ApiRequest,
  { requiresSamePrincipal }: Pick<WriteRoute, 'requiresSamePrincipal'>,
): Promise<Guard[]> {
  const { id, accountId } = request.principal;
  const resource = requiresSamePrincipal
    ? context.resources.find((candidate) => grantsRights.has(candidate) && isId(candidate.prefix, id))
    : undefined;
  if (!resource) return [];
  // First the record: if it changes after this, its revision tells.
  const record = await context.readRecord(resource, accountId, id);
  request.principal = await authenticateUncached(request, context);
  return record ? [{ resource, record }] : [];
}

/** Returns a context that reads changed records as they are after the change, for expanded records in the response. */
function contextAfter(context: HttpContext, changes: readonly RecordChange[]): HttpContext {
  if (changes.length === 1) return context;
  const written = new Map<string, StoredRecord | null>(
    changes.map(({ before, after }) => [(after ?? before).id, after]),
  );
  return {
    ...context,
    async readRecord<R extends StoredRecord>(resource: Resource<R>, accountId: string, id: string) {
      const record = written.get(id);
      return record === undefined ? context.readRecord(resource, accountId, id) : (record as R | null);
    },
  };
}

/** Requests of a route with its own `render` are never replayed. Nor are those whose log has another answer. */
const noCopy = Buffer.alloc(0);

async function responseOf(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  { changes, response }: Decision,
): Promise<StoredResponse> {
  const [change] = changes;
  const resource = response && 'resource' in route.response ? route.response.resource : change.resource;
  const record = response ?? change.after;
  if (!record) {
    const { id } = change.after ?? change.before;
    const object = {
      id,
      object: resource.object,
      deleted: true,
      ...(request.hasServiceContext && { account: request.accountId }),
    };
    return { status: 200, body: JSON.stringify(object) };
  }
  const { encryption } = context;
  const object = await renderExpanded(context, request, resource, record, response ? {} : request.expansion);
  if (route.render) {
    const body = JSON.stringify(await route.render(request, record, context));
    return { status: 200, body, secret: { redactedBody: textIn(context, request, object), encryptedBody: noCopy } };
  }
  const secrets = route.showsSecrets ? openSecrets(resource, record, encryption) : null;
  if (!secrets) return { status: 200, body: textIn(context, request, object) };
  const body = textIn(context, request, { ...object, ...secrets });
  const redactedBody = textIn(context, request, { ...object, ...redact(secrets) });
  return { status: 200, body, secret: { redactedBody, encryptedBody: encryption.encrypt(body) } };
}

/** Returns the response's text in the request's version. */
function textIn({ versions }: HttpContext, { version }: ApiRequest, object: JsonObject): string {
  return JSON.stringify(versions.convert(object, versions.newest, version));
}

/** Returns whether an error is one of validation. Then nothing is stored, and the idempotency key stays free. */
function isValidation({ code, status }: ApiError): boolean {
  return (
    code.startsWith('parameter_') || ['permission_denied', 'reauthentication_required'].includes(code) || status === 401
  );
}
