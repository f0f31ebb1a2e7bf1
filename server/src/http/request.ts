import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { Gateway } from '../core/vocabulary/gateways.ts';
import type { Id, IdMaker, IdPrefix } from '../core/ids.ts';
import type { Rules } from '../core/vocabulary/law-rules.ts';
import type { Provider } from '../core/vocabulary/providers.ts';
import type { NonEmpty } from '../core/arrays.ts';
import type { TraceParent } from '../core/tracing.ts';
import type { LatestVersion } from '../db/latest-version.ts';
import type { Payer } from '../core/limits/byte-budget.ts';
import type { PortalFeature } from '../model/callers/portal.ts';
import type { Principal } from '../model/callers/principal.ts';
import type { ImportedFile } from '../model/traits/imports-file.ts';
import type { Contents } from '../model/traits/stores-file.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { ReadMemory } from './read-memory.ts';

/**
 * A request as it arrives. Authentication makes it an `AuthenticatedRequest`. Its route and its account make it an `ApiRequest`. It stays
 * one object, so that an error handler sees which steps it has passed.
 */
export interface ReceivedRequest {
  /** The request's id, and its log's. */
  id: Id<'req'>;
  startedMs: number;
  /** The same moment by the clock of the world. */
  realStartedMs: number;
  incoming: FastifyRequest;
  client: Client;
  /** Null before authentication. */
  principal: Principal | null;
  /** Null before authentication. */
  payer: Payer | null;
  /** The account acted upon. Empty before authentication. */
  accountId: string;
  /** Null until the request has a route. */
  account: PinnedAccount | null;
  /** Null if there is no such route, or before the look-up. */
  route: MatchedRoute | null;
  /** Tells whether `Service-Context` was sent. Then objects have `account`. */
  hasServiceContext: boolean;
  /** The version of the response. */
  version: string;
  /** The versions that are served, the newest first. */
  versionsServed: NonEmpty<string>;
  /** The linked records to expand. */
  expansion: Expansion;
  /** The `Content-Type` as the client sent it. Empty if there was none. */
  contentType: string;
  /** The memory of the body. Null if there is no body, or a file. */
  bodyBytes: HeldBody | null;
  /** The body's text as the client sent it. Null if there is none that can be stored. */
  bodyText: string | null;
  /** A valid `Idempotency-Key`. */
  idempotencyKey: string | null;
  /** The request whose stored response is replayed. */
  originalRequest: string | null;
  /** An uploaded file that is not committed yet. */
  upload: PendingUpload | null;
  /** An uploaded file that is read and not stored. */
  file: ImportedFile | null;
  /** The memory for the records that it reads. Null if that is not counted. */
  memory: ReadMemory | null;
  /** Its place in a trace. Null without tracing. */
  traceParent: TraceParent | null;
}

/** The client of a request, as far as its address tells. */
export interface Client {
  /** Null if the connection was already closed when the request began. */
  address: string | null;
  /** Whether this machine itself has connected, and no trusted proxy forwards another party's request. */
  isLocal: boolean;
}

/** An authenticated request. It acts on the principal's own account, unless its route and `Service-Context` say otherwise. */
export interface AuthenticatedRequest extends ReceivedRequest {
  principal: Principal;
  /** The accounts whose shares of memory and of concurrent work the request uses. */
  payer: Payer;
}

/** An authorized request, with its route and its account. */
export interface ApiRequest extends AuthenticatedRequest {
  account: PinnedAccount;
  route: MatchedRoute;
}

/** An API key from the database. */
export interface StoredKey {
  principal: Principal;
  /** In seconds. Null if it is not revoked. */
  revokedAt: number | null;
  lastFour: string;
}

/** The facts about an account that requests need. */
export interface AccountFacts {
  id: string;
  name: string;
  /** The e-mail address in its letterhead. Null if it has none. */
  replyTo: string | null;
  parentId: string | null;
  /** The topmost of its parent accounts, or itself if it has no parent. */
  rootId: string;
  apiVersion: string | null;
  defaultProvider: Provider | null;
  /** The referencing services for which it has set credentials. */
  providersWithCredentials: readonly string[];
  linkedRecords: 'open' | 'strict';
  /** The name of a time zone (IANA). */
  timeZone: string;
  /** The first part of the numbers of invoices. */
  invoicePrefix: string;
  /** The payment gateway of payments that name none. */
  paymentProvider: Gateway | null;
  /** Null if it is in this cell. Otherwise the name of its cell, or empty while it moves. */
  away: string | null;
  rules: Rules;
}

/** An account that has made its first request. */
export type PinnedAccount = AccountFacts & { apiVersion: string };

/** The facts about a route that the pipeline needs before the handler. */
export interface MatchedRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Null if the route needs no permission. */
  permission: string | null;
  /** Permissions that it takes besides, judged before a stored response is replayed. */
  alsoNeeds?: readonly string[];
  /** Permissions of which one is enough. The handler leaves out what the others would show. */
  needsOneOf?: NonEmpty<string>;
  /** Set for a route of the portal: features of the session, of which one is enough. Empty if it needs none. */
  portalFeatures?: readonly PortalFeature[];
  /** Set if only persons have the permission. */
  isForPersons?: true;
  /** Set if the route is refused while `Service-Context` names a connected account. */
  ownAccountOnly?: true;
  /** Set if the body is a form with a file. Null or left out if the body is JSON. */
  upload?: UploadRoute | null;
  /** Members of the body that are redacted in logs. */
  secretMembers?: readonly string[];
}

/** The file that a route accepts. */
export interface UploadRoute {
  contents: Contents;
  /** The prefix of the file's id. Null if the file is read and not stored. */
  prefix: IdPrefix | null;
}

/** A file whose parts are stored, until it is committed or refused. */
export interface PendingUpload {
  accountId: string;
  /** The file's id, if it is committed. */
  id: Id;
  /** Tells whether the write of a part has failed, so that its outcome is unknown. */
  inDoubt: boolean;
}

/** The links to expand, by their newest names: `{ customer: {} }`. */
export interface Expansion {
  [link: string]: Expansion;
}

/** The memory of a request's body. */
export interface HeldBody {
  /**
   * Makes room for more of an incomplete body.
   *
   * @param bytes the bytes of the whole body.
   * @throws {ApiError} `rate_limit` or `overloaded`.
   */
  grow(bytes: number): void;
  /** Notes that the body is complete, with so many bytes. */
  arrived(bytes: number): void;
  /** Notes that work begins. It continues even if the client disconnects. */
  workBegins(): void;
  /** Ends the work. A long response counts until its client has read it. */
  workEnds(responseBytes: number): void;
  /** Calls back if the client disconnects. There is one such callback at a time; null removes it. */
  whenReleased(callback: (() => void) | null): void;
}

export function receiveRequest(
  context: { ids: IdMaker; clock: Clock; realClock: Clock; versions: ApiVersions; latestVersion: LatestVersion },
  incoming: FastifyRequest,
  client: Client,
  traceParent: TraceParent | null,
): ReceivedRequest {
  const versionsServed = context.versions.upTo(context.latestVersion.known);
  return {
    id: context.ids.make('req'),
    startedMs: context.clock.nowMs(),
    realStartedMs: context.realClock.nowMs(),
    incoming,
    client,
    principal: null,
    payer: null,
    accountId: '',
    account: null,
    route: null,
    hasServiceContext: false,
    version: versionsServed[0],
    versionsServed,
    expansion: {},
    contentType: '',
    bodyBytes: null,
    bodyText: null,
    idempotencyKey: null,
    originalRequest: null,
    upload: null,
    file: null,
    memory: null,
    traceParent,
  };
}

/** Sets the principal of a request. */
export function authenticated(request: ReceivedRequest, principal: Principal): AuthenticatedRequest {
  const { accountId } = principal;
  return Object.assign(request, { principal, payer: { accountId, rootId: accountId }, accountId });
}

/** Sets the route of a request, and the account that it acts on. */
export function routed(request: AuthenticatedRequest, route: MatchedRoute, account: PinnedAccount): ApiRequest {
  return Object.assign(request, { route, account, accountId: account.id });
}
