import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { Id, IdMaker, IdPrefix } from '../core/ids.ts';
import type { Provider } from '../core/providers.ts';
import type { LatestVersion } from '../db/latest-version.ts';
import type { Payer } from '../core/byte-budget.ts';
import type { Principal } from '../model/principal.ts';
import type { Contents } from '../model/traits/stores-file.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { ReadRoom } from './read-room.ts';

/**
 * A request as it arrives. Its type grows on its way: authentication makes it an `AuthenticatedRequest`. Its route and its account
 * make it an `ApiRequest`. It stays one object, so an error handler sees how far it came.
 */
export interface ReceivedRequest {
  /** The request's id, and its log's. */
  id: Id<'req'>;
  startedMs: number;
  incoming: FastifyRequest;
  /** The party that asks; null until it is known. */
  principal: Principal | null;
  /** Null until the principal is known. */
  payer: Payer | null;
  /** The account acted upon; empty until the principal is known. */
  accountId: string;
  /** Null until the request has a route. */
  account: PinnedAccount | null;
  /** Null if there is no such route, or none was looked for yet. */
  route: MatchedRoute | null;
  /** Whether `Service-Context` was sent; then objects carry `account`. */
  withContext: boolean;
  /** The version of the response. */
  version: string;
  /** The versions that the request could have named, the newest first. */
  versionsServed: readonly string[];
  /** The linked records that are wanted whole. */
  expansion: Expansion;
  /** The `Content-Type` as it was sent; empty if none was. */
  contentType: string;
  /** What the request holds in memory; null if it has no body but a file's. */
  bodyBytes: HeldBody | null;
  /** The body's text as it was sent, or null if there was none that could be kept. */
  bodyText: string | null;
  /** An `Idempotency-Key` that is well formed and counts. */
  idempotencyKey: string | null;
  /** The request whose stored response this one gets. */
  originalRequest: string | null;
  /** A file that came with the request and is not made yet. */
  upload: PendingUpload | null;
  /** The memory that it uses for what it reads; null if that is not counted. */
  room: ReadRoom | null;
}

/** A request whose principal is known. It acts on the principal's own account, unless its route and `Service-Context` say otherwise. */
export interface AuthenticatedRequest extends ReceivedRequest {
  principal: Principal;
  /** The accounts whose shares of memory and of concurrent work the request uses. */
  payer: Payer;
}

/** A request that may do what its route does, on its account. */
export interface ApiRequest extends AuthenticatedRequest {
  account: PinnedAccount;
  route: MatchedRoute;
}

/** An API key as the database has it. */
export interface StoredKey {
  principal: Principal;
  /** Seconds; null if it is not revoked. */
  revokedAt: number | null;
  lastFour: string;
}

/** What requests need to know of an account. */
export interface AccountFacts {
  id: string;
  parentId: string | null;
  /** The topmost account that it is connected to, at any distance; itself if it is connected to none. */
  rootId: string;
  apiVersion: string | null;
  defaultProvider: Provider | null;
  linkedRecords: 'open' | 'strict';
}

/** An account that has made its first request. */
export type PinnedAccount = AccountFacts & { apiVersion: string };

/** What the pipeline asks of a route before the route's handler runs. */
export interface MatchedRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Null if any key will do. */
  permission: string | null;
  /** Permissions that it takes besides, judged before a stored response is replayed. */
  alsoNeeds?: readonly string[];
  /** Refused while `Service-Context` names a connected account. */
  ownAccountOnly?: true;
  /** A file comes with the body, which is a form then; null or left out if the body is JSON. */
  upload?: UploadRoute | null;
  /** Members of the body that no log shows. */
  secretMembers?: readonly string[];
}

/** What a route takes a file for. */
export interface UploadRoute {
  contents: Contents;
  /** Of the file's id. */
  prefix: IdPrefix;
}

/** Where the bytes of a file wait until it is made, or refused. */
export interface PendingUpload {
  accountId: string;
  /** The file's id, if it will be one. */
  id: Id;
  /** Whether a part failed to be kept, so that it may be kept or not. */
  inDoubt: boolean;
}

/** What is to be expanded, by the names that handlers know: `{ customer: {} }`. */
export interface Expansion {
  [link: string]: Expansion;
}

/** What a request holds of the bodies' memory. */
export interface HeldBody {
  /**
   * Makes room for more of a body that is still coming.
   *
   * @param bytes of all of it.
   * @throws {ApiError} `rate_limit` or `overloaded`.
   */
  grow(bytes: number): void;
  /** The body has arrived, and has so many bytes. */
  arrived(bytes: number): void;
  /** The request is carried out from now on, whether its client waits for the response or not. */
  workBegins(): void;
  /** Ends the work. A long response counts until its client has read it. */
  workEnds(responseBytes: number): void;
}

export function receiveRequest(
  context: { ids: IdMaker; clock: Clock; versions: ApiVersions; latestVersion: LatestVersion },
  incoming: FastifyRequest,
): ReceivedRequest {
  return {
    id: context.ids.make('req'),
    startedMs: context.clock.nowMs(),
    incoming,
    principal: null,
    payer: null,
    accountId: '',
    account: null,
    route: null,
    withContext: false,
    version: context.versions.upTo(context.latestVersion.known)[0]!,
    versionsServed: [],
    expansion: {},
    contentType: '',
    bodyBytes: null,
    bodyText: null,
    idempotencyKey: null,
    originalRequest: null,
    upload: null,
    room: null,
  };
}

/** Names the principal of a request. */
export function authenticated(request: ReceivedRequest, principal: Principal): AuthenticatedRequest {
  const { accountId } = principal;
  return Object.assign(request, { principal, payer: { accountId, rootId: accountId }, accountId });
}

/** Names the route of a request and the account that it acts on. */
export function routed(request: AuthenticatedRequest, route: MatchedRoute, account: PinnedAccount): ApiRequest {
  return Object.assign(request, { route, account, accountId: account.id });
}
