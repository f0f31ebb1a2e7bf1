import { setTimeout as delay } from 'node:timers/promises';
import type {
  Guard,
  Outcome,
  RequestFacts,
  StoredResponse,
  WriteDecision,
  WriteRequest,
} from '../../commit/write-request.ts';
import { hashKey, makeKey } from '../../core/api-keys.ts';
import { randomBase62 } from '../../core/base62.ts';
import { withRollUps } from '../../commit/roll-ups.ts';
import type { Decision } from '../../model/change.ts';
import { today } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import { retainedFromMs } from '../../core/retention.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import { maskSecrets, maskSecretsInUrl } from '../../core/mask-secrets.ts';
import type { Caller } from '../../model/caller.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import { DatabaseError, UnavailableError } from '../../db/pools.ts';
import { authenticateUncached } from '../pipeline/authenticate.ts';
import { apiErrorOf, errorResponse, internalError } from '../response/errors.ts';
import {
  fingerprints,
  keyInUse,
  loggedIdempotencyKey,
  readStoredResponse,
  type Claim,
  type RecentKeys,
  type ReplayedResponse,
} from './idempotency.ts';
import { pathOf } from '../pipeline/known-paths.ts';
import { requireOneLeft } from './last-of-kind.ts';
import { requireLinkedRecords } from './linked-records.ts';
import { errorInVersion } from '../pipeline/api-version.ts';
import { readExpansion, renderExpanded } from '../response/expand.ts';
import { openSecrets, redact } from '../response/render.ts';
import type { WriteRoute } from '../route.ts';
import type { ApiRequest, AuthenticatedRequest } from '../request.ts';
import { isErased } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import { hashToken, makeLinkToken } from '../../core/tokens.ts';
import { constrained } from '../../model/traits/constrained.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import { linkUrl } from '../../sign-in/links.ts';
import { realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';

/** So many base62 digits are 190 bits, which cannot be guessed. */
const secretLength = 32;

/** The response to a write, and the request that it was stored for if it is replayed. */
export interface ExecutedWrite {
  response: StoredResponse;
  replayed: { requestId: string; apiVersion: string } | null;
}

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
  return recentKeys.hold(claim, async () => {
    // Otherwise the request would be decided, written and rolled back, with its whole batch, before it is replayed.
    if (claim && recentKeys.mayBeAnswered(claim)) {
      const replayed = await replay(context, request, route, claim);
      if (replayed) return replayed;
    }
    if (route.beforeCommit && !(await isRepeat(context, request, claim))) await route.beforeCommit(request, input);
    const outcome = await executeOnce(context, request, route, input, claim);
    switch (outcome.kind) {
      case 'committed':
        if (!outcome.response) throw new Error('Bug! A request was committed without a response.');
        recentKeys.addAnswered(claim);
        if (outcome.response.status === 200) await runAfterCommit(context, request, route);
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

/**
 * Replays a request that its version refuses, if its key was used in another version. That happens after an upgrade of the account. Returns
 * null if the key was not used.
 *
 * @throws {ApiError} `permission_denied` if the API key may not read the expanded records in the response.
 */
export async function repeatOfOtherVersion(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  { expand, body }: { expand: readonly string[]; body: JsonObject },
): Promise<ExecutedWrite | null> {
  request.idempotencyKey = loggedIdempotencyKey(request.incoming);
  const claim = claimOf(request, body);
  const stored =
    claim && (await readStoredResponse(context, request.accountId, claim, request.startedMs).catch(unlessReused));
  if (!stored) return null;
  // The paths were valid in that version, but another API key may ask now.
  readExpansion(context, { ...request, version: stored.apiVersion }, route.expandable, expand);
  return replayOrRefuse(context, request, route, claim);
}

/** Ignores a reused key, because the request is refused for another reason anyway. */
function unlessReused(error: unknown): null {
  if (error instanceof ApiError && error.code === 'idempotency_key_reused') return null;
  throw error;
}

/** Returns whether the key already has a response, so that the request is not executed again. */
async function isRepeat(context: HttpContext, request: ApiRequest, claim: Claim | null): Promise<boolean> {
  return claim !== null && (await readStoredResponse(context, request.accountId, claim, request.startedMs)) !== null;
}

/**
 * Runs the work between the commit and the response. The change is durable, so an error here is only logged. An error response would tell
 * the client that nothing was changed.
 */
async function runAfterCommit({ log }: HttpContext, request: ApiRequest, route: WriteRoute): Promise<void> {
  await untilKnownEverywhere(route);
  try {
    await route.afterCommit?.(request);
  } catch (error) {
    log.warn({ request: request.id, err: error }, 'the work after a commit failed');
  }
}

/** Waits until no process uses an outdated record from its cache. */
async function untilKnownEverywhere({ propagationDelayMs }: WriteRoute): Promise<void> {
  if (propagationDelayMs > 0) await delay(propagationDelayMs);
}

/**
 * Writes the log of a request that was not executed.
 *
 * @param response makes the response. It is called when there is room in memory. Null if there is nothing to log.
 * @throws the error of `response`. Then there is no log.
 */
export async function logOnly(
  context: HttpContext,
  request: AuthenticatedRequest,
  response: () => Promise<StoredResponse | null>,
): Promise<void> {
  const outcome = await context.committer.commit({
    accountId: request.accountId,
    payer: request.payer,
    request: requestFacts(request),
    claim: null,
    locks: [],
    async decide() {
      const made = await response();
      if (made) await omitBodyAboutErased(context, request, made);
      return { changes: [], response: made };
    },
  });
  if (outcome.kind === 'refused') throw outcome.error;
}

/** A request names few records. The body of one with more ids than this is omitted without reading them. */
const namedMax = 100;

/**
 * Omits the body from the log of a rejected request that names an erased person. The same holds for a record that
 * the account does not have, because another account may have erased it. No erasure would find the log later.
 */
async function omitBodyAboutErased(
  { resources, readRecord, personalDataIds }: HttpContext,
  request: AuthenticatedRequest,
  { status }: StoredResponse,
): Promise<void> {
  if (status === 404) request.bodyText = null;
  const ids = new Set(`${request.incoming.url} ${request.bodyText ?? ''}`.match(personalDataIds));
  if (request.bodyText === null || ids.size === 0) return;
  const mayBeErased = async (id: string): Promise<boolean> => {
    const resource = resources.find(({ prefix }) => isId(prefix, id));
    const record = resource ? await readRecord(resource, request.accountId, id) : null;
    return record === null || isErased(record);
  };
  const areErased = ids.size <= namedMax ? Promise.all([...ids].map(mayBeErased)) : Promise.resolve([true]);
  // Without an answer of the database, the log is worth more than its body.
  if ((await areErased.catch(() => [true])).includes(true)) request.bodyText = null;
}

/** Executes the request. If it has become invalid with time, replays the response from when it was valid. */
async function executeOnce(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
  claim: Claim | null,
): Promise<Outcome> {
  try {
    return await execute(context, request, route, input, claim);
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
): Promise<Outcome> {
  const writeRequest: Omit<WriteRequest, 'decide'> = {
    accountId: request.accountId,
    payer: request.payer,
    request: requestFacts(request),
    claim,
    locks: await route.locks(request, input),
  };
  const commit = (): Promise<Outcome> =>
    context.committer.commit({ ...writeRequest, decide: () => decide(context, request, route, input) });
  let outcome = await commit();
  // The decision did not see the other record. It sees it now, and can name it.
  if (ruleBroken(context, outcome)) outcome = await commit();
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

/** Returns the refusal of a change that breaks a rule between records, which the database keeps. Returns null for any other outcome. */
function ruleBroken({ resources }: HttpContext, outcome: Outcome): ApiError | null {
  if (outcome.kind !== 'refused' || !(outcome.error instanceof DatabaseError)) return null;
  const { constraint } = outcome.error;
  const rules = resources.flatMap((resource) => constrained.of(resource) ?? []);
  return rules.find(({ names }) => constraint !== undefined && names.includes(constraint))?.refusal() ?? null;
}

/** Decides, and converts a refusal to the response that is stored. Without a database there is no decision. */
async function decide(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  input: JsonObject,
): Promise<WriteDecision> {
  try {
    const guards = await actingRecord(context, request, route);
    const decision = await route.decide(request, input, callerOf(context, request));
    if ('clockAdvance' in decision) {
      const { clockAdvance, response } = decision;
      return { changes: [], clockAdvance, response: { status: 200, body: textIn(context, request, response) } };
    }
    guards.push(...(decision.guards ?? []));
    guards.push(...(await requireLinkedRecords(context, request, decision.changes)));
    guards.push(...(await requireOneLeft(context, decision.changes)));
    const changes = await withRollUps(context, request.accountId, decision.changes);
    // The record may sum up others that change with it, so the response shows it with the sums.
    const [asked = decision.changes[0], ...others] = changes;
    const decided = { ...decision, changes: [asked, ...others] as Decision['changes'] };
    const response = await responseOf(contextAfter(context, changes), request, route, decided);
    return { changes, guards, deliveries: decision.deliveries ?? [], response };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
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
  { requiresSamePrincipal }: WriteRoute,
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

/** @throws {ApiError} `idempotency_key_in_use` if another process had claimed the key, and has released it without a response. */
async function replayOrRefuse(...replayed: Parameters<typeof replay>): Promise<ExecutedWrite> {
  const repeated = await replay(...replayed);
  if (!repeated) throw keyInUse();
  return repeated;
}

/** Sends the stored response of a key again, and logs that. Returns null if there is none. */
async function replay(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  claim: Claim,
): Promise<ExecutedWrite | null> {
  const logged = { ...request };
  let response: ReplayedResponse | null = null as ReplayedResponse | null;
  await logOnly(context, logged, async () => {
    const stored = await readStoredResponse(context, request.accountId, claim, request.startedMs);
    response = stored;
    if (!stored) return null;
    // Another API key with the same Idempotency-Key may lack the rights that the secret gives.
    // A person reads a secret only after a confirmation, so a replay shows none of another principal.
    const mayRead = isSecretReadable(route) && !request.principal.person;
    if (stored.secret && stored.principalId !== request.principal.id && !mayRead) {
      throw new ApiError(
        'permission_denied',
        'This Idempotency-Key was used with another API key, and its response has a secret. Only that API key can get it again. Use that key, or a new Idempotency-Key.',
      );
    }
    request.originalRequest = stored.requestId;
    // The person of the first request was erased since.
    if (stored.isBodyErased) request.bodyText = null;
    Object.assign(logged, request, { version: stored.apiVersion });
    return stored;
  });
  if (!response) return null;
  // The process that committed it may have ended before it did what follows.
  if (response.status === 200) await runAfterCommit(context, request, route);
  return { response, replayed: { requestId: response.requestId, apiVersion: response.apiVersion } };
}

/** Returns whether the secret of the response is stored. Then a key with this route's permission can read it at any time. */
function isSecretReadable({ response }: WriteRoute): boolean {
  if (!('resource' in response)) return false;
  const secrets = Object.values(response.resource.fields).filter(({ shown }) => shown === 'as_secret');
  return secrets.every(({ column }) => column !== null);
}

function claimOf(request: ApiRequest, input: JsonObject): Claim | null {
  if (request.idempotencyKey === null) return null;
  const [path = '', query = ''] = request.incoming.url.split('?', 2);
  const { method } = request.incoming;
  const keyAccountId = request.principal.accountId;
  return Object.assign(fingerprints({ method, path, query, withContext: request.hasServiceContext, body: input }), {
    name: `${request.accountId} ${keyAccountId} ${request.idempotencyKey}`,
    keyAccountId,
    key: request.idempotencyKey,
  });
}

/** Returns the caller of a decision: the principal of this request, and the account that it acts on. */
export function callerOf(
  context: HttpContext,
  request: Pick<ApiRequest, 'account' | 'accountId' | 'principal' | 'versionsServed'>,
): Caller {
  const { config, clock, ids, encryption, randomBytes, permissions, eventTypes, referencingServices } = context;
  const { apiVersion, defaultProvider, timeZone, rules, invoicePrefix } = request.account;
  const nowSeconds = toSeconds(clock.nowMs());
  return {
    mode: config.mode,
    nowSeconds,
    realSeconds: realSecondsOf(context),
    account: {
      api_version: apiVersion,
      default_provider: defaultProvider,
      time_zone: timeZone,
      rules,
      invoice_prefix: invoicePrefix,
    },
    today: today(nowSeconds, timeZone),
    isOwnAccount: request.accountId === request.principal.accountId,
    actorId: request.principal.id,
    isAgent: request.principal.type === 'agent',
    permissions: request.principal.permissions,
    referencingServices,
    knownPermissions: permissions,
    knownEventTypes: eventTypes,
    person: request.principal.person,
    requireConfirmation: () => requireConfirmation(request.principal, realSecondsOf(context)),
    keyExpiresAt: request.principal.expiresAt,
    apiVersions: request.versionsServed,
    allowedTargets: config.allowedTargets,
    retainedFromSeconds: toSeconds(retainedFromMs(clock.nowMs(), config.retentionDays)),
    makeId: (prefix) => ids.make(prefix),
    encrypt: (text) => encryption.encrypt(text),
    makeSecret: (prefix) => encryption.encrypt(`${prefix}_${randomBase62(secretLength, randomBytes)}`),
    makeLink() {
      const token = makeLinkToken(randomBytes);
      return { url: encryption.encrypt(linkUrl(config.publicUrl, token)), hash: hashToken(token) };
    },
    makeKey(type) {
      const key = makeKey(type, config.mode, randomBytes);
      return { encrypted: encryption.encrypt(key), hash: hashKey(key), lastFour: key.slice(-4) };
    },
  };
}

/** Longer than any valid path. A client's longer path would not fit into an index. */
const pathLengthMax = 500;

/** Replaces NUL characters, which PostgreSQL does not store, and shortens the path. */
function storablePath(url: string): string {
  return maskSecrets(pathOf(url)).replaceAll('\0', '\ufffd').slice(0, pathLengthMax).toWellFormed();
}

function masked(text: string | null | undefined): string | null {
  return typeof text === 'string' ? maskSecrets(text) : null;
}

/** Returns the facts about a request that its log and events show. */
export function requestFacts(request: AuthenticatedRequest): RequestFacts {
  const { incoming, principal } = request;
  return {
    id: request.id,
    startedMs: request.startedMs,
    method: incoming.method,
    url: maskSecretsInUrl(incoming.url),
    path: storablePath(incoming.url),
    ipAddress: request.client.address,
    userAgent: masked(headerOf(incoming, 'user-agent')?.slice(0, 500)),
    actor: principal,
    // A replay changes these to the values of the first request.
    get apiVersion() {
      return request.version;
    },
    get originalRequest() {
      return request.originalRequest;
    },
    idempotencyKey: masked(loggedIdempotencyKey(request.incoming)),
    // A decision can remove the body from the log.
    get body() {
      return request.bodyText;
    },
  };
}
