import type { TObject, TSchema } from 'typebox';
import type { ClockAdvance, Guard } from '../commit/write-request.ts';
import type { Client } from '../core/limits/fair-queue.ts';
import type { Decision } from '../model/change.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { HeldEvents } from '../events/event-feed.ts';
import type { PlacedEvent } from '../events/event-order.ts';
import type { Sensitivity } from '../model/callers/approvals.ts';
import type { Caller } from '../model/callers/caller.ts';
import type { Principal } from '../model/callers/principal.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource, OperationDocs } from '../model/resource.ts';
import type { HttpContext } from './context.ts';
import type { ApiRequest, UploadRoute, MatchedRoute } from './request.ts';

/** One operation of the API. */
export type Route = ReadRoute | ContentsRoute | StreamRoute | WriteRoute;

interface RouteBase extends MatchedRoute {
  /** Its name in SDKs and the API docs: `references_create`. */
  operationId: string;
  /** The path, with `:id` for ids. */
  path: string;
  /** The description of the id in its path. Left out if it is the id of a record. */
  idDescription?: string;
  /** The kind of object of its body, its parameters and their errors, for conversions between versions. */
  object: string;
  query: Record<string, TSchema>;
  /** The parameters of the query that every request needs. */
  requiredQuery?: readonly string[];
  /** Null if the response has no links. */
  expandable: Expandable | null;
  /** Texts for the API docs. */
  docs: OperationDocs & { summary: string };
  response: RouteResponse;
}

/**
 * The response with status 200. A record shows its secrets never, always, or to keys that may change it. The kind `objects` is a list of
 * objects that are not records. A `stream` sends records as they are made. A `search` has records of several kinds in `data`.
 */
export type RouteResponse =
  | { kind: 'record'; resource: Resource; secrets: 'never' | 'always' | 'to_writers' }
  | { kind: 'list' | 'deletion'; resource: Resource }
  | { kind: 'stream'; resource: Resource }
  | {
      kind: 'search';
      resources: readonly Resource[];
      schema: TObject;
      item: TObject;
      example: JsonObject & { object: string };
    }
  | { kind: 'object' | 'objects'; name: string; schema: TObject; example: JsonObject & { object: string } }
  | { kind: 'file'; contentTypes: readonly string[]; description: string };

/** A route's query. Whole numbers are parsed, all other values are text. */
export type Query = Record<string, string | number>;

/** A POST without a principal, which comes before a sign-in or a session. Its handler is elsewhere. */
export interface OpenPost {
  operationId: string;
  path: string;
  docs: OperationDocs & { summary: string; example: JsonObject };
  body: TObject;
  response: Extract<RouteResponse, { kind: 'object' | 'objects' }>;
}

/** A response that may have links. */
export interface Expandable {
  resource: Resource;
  isList: boolean;
}

export interface ReadRoute extends RouteBase {
  method: 'GET';
  read(request: ApiRequest, query: Query): Promise<JsonObject>;
  /** The same response as a file, for a query that asks for it. */
  asFile?: FileForm;
}

/** The second form of a response: the value of the parameter `format` decides. */
export interface FileForm {
  /** The value of `format`, such as `pdf`. */
  format: string;
  contentType: string;
  open(request: ApiRequest, query: Query, client: Client): Promise<OpenContents>;
}

/** A route that returns bytes, not JSON. */
export interface ContentsRoute extends RouteBase {
  method: 'GET';
  open(request: ApiRequest, query: Query, client: Client): Promise<OpenContents>;
}

/** The type of bytes of any kind (RFC 2046, section 4.5.1). A client generated from the OpenAPI documents may accept no other type. */
export const anyBytes = 'application/octet-stream';

export interface OpenContents {
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  /** The parts, as they are read. A buffer is in memory as a whole. */
  bytes: AsyncIterable<Buffer> | Buffer;
}

/** A route that sends server-sent events until its client disconnects. */
export interface StreamRoute extends RouteBase {
  method: 'GET';
  subscribe(request: ApiRequest, query: Query): Promise<Subscription>;
}

/** The events that a client follows. */
export interface Subscription {
  /** The position of a client that has received nothing. Null if the client has sent it. */
  startId: string | null;
  /**
   * Returns the next events in their order. The caller releases them after sending. Returns no events after `timeoutMs` without one,
   * without room in memory, or after `leave`.
   *
   * @throws {UnavailableError} if the database cannot be reached.
   * @throws {PositionRemovedError} if some of the events may have been removed before they were read.
   */
  next(timeoutMs: number): Promise<HeldEvents>;
  leave(): void;
  /** Returns whether the client has selected this event. */
  has(event: PlacedEvent): boolean;
  /** Returns whether the principal may not know that there is such an event. */
  isHidden(event: PlacedEvent, principal: Principal): boolean;
  /** Returns the event as it is sent. */
  messageOf(event: PlacedEvent): string;
}

export interface WriteRoute extends RouteBase {
  method: 'POST' | 'DELETE';
  body: TObject;
  /** The file that the route accepts. Null if the body is JSON. */
  upload: UploadRoute | null;
  /** Tells whether the response shows the record's secrets. */
  showsSecrets: boolean;
  /** Returns another object than the record for the client. The log has the record. */
  render?: (request: ApiRequest, record: StoredRecord, deciding: HttpContext) => Promise<JsonObject>;
  /** If set, the decision reads the acting key or user anew, which must not change before the commit. */
  requiresSamePrincipal?: true;
  secretMembers: readonly string[];
  /** How long other processes may use a cached record, in milliseconds. */
  propagationDelayMs: number;
  /** Returns the records that it will change, as far as known before. Other requests that change them wait. */
  locks(request: ApiRequest, input: JsonObject): Promise<string[]> | string[];
  /**
   * Reads the records and decides. Called again if a record has changed meanwhile.
   *
   * @param deciding the context of this decision. It reads each record once.
   */
  decide(
    request: ApiRequest,
    input: JsonObject,
    caller: Caller,
    deciding: HttpContext,
  ): Promise<GuardedDecision | ClockDecision | AnswerDecision>;
  /** Executes a dear request when it is its turn. A request that waits holds no room among the changes. Left out if it need not wait. */
  inTurn?<Result>(request: ApiRequest, execute: () => Promise<Result>): Promise<Result>;
  /** Runs actions outside of this server before the decision. Not called for a replayed idempotency key. */
  beforeCommit?(request: ApiRequest, input: JsonObject): Promise<void>;
  /** Runs after the commit and before the response. Not called for a refusal. If it fails, its work is done later. */
  afterCommit?(request: ApiRequest): Promise<void>;
}

/** Returns which requests of a route are sensitive. Every deletion is. */
export function sensitivityOf({ method, docs }: Pick<WriteRoute, 'method' | 'docs'>): Sensitivity | undefined {
  return docs.sensitive ?? (method === 'DELETE' ? true : undefined);
}

/** Returns whether a person has to confirm its identity for some requests of a route. */
export function asksForConfirmation({ docs }: Pick<WriteRoute, 'docs'>): boolean {
  return docs.refusals?.includes('reauthentication_required') === true;
}

/** A decision, with the records that it relies on and does not change. */
export type GuardedDecision = Decision & { guards?: Guard[] };

/** A decision about the sandbox's clock instead of a record. */
export interface ClockDecision {
  clockAdvance: ClockAdvance;
  response: JsonObject;
}

/** A decision that changes nothing, and returns an object that is no record. */
export interface AnswerDecision {
  answer: JsonObject;
  /** The answer for the log, without personal data. Then no copy of the answer is stored, and the `Idempotency-Key` stays free. */
  logged?: JsonObject;
}

/** Returns the display name of `webhook_endpoints`: webhook endpoints. */
export function displayName(name: string): string {
  return name.replaceAll('_', ' ').replace(/^api\b/, 'API');
}

/** Returns the display name of one record, with its article: `an application`. */
export function aOrAn({ object }: Resource): string {
  // A unit and a user begin with a consonant's sound.
  return `${/^([aeio]|u(?!ni|se))/.test(object) ? 'an' : 'a'} ${displayName(object)}`;
}
