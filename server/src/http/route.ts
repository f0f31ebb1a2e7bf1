import type { TObject, TSchema } from 'typebox';
import type { ClockAdvance } from '../commit/write-request.ts';
import type { Decision } from '../model/change.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { HeldEvents } from '../events/event-feed.ts';
import type { PlacedEvent } from '../events/event-order.ts';
import type { Caller } from '../model/caller.ts';
import type { Resource, OperationDocs } from '../model/resource.ts';
import type { ApiRequest, UploadRoute, MatchedRoute } from './request.ts';

/** One operation of the API. */
export type Route = ReadRoute | ContentsRoute | StreamRoute | WriteRoute;

interface RouteBase extends MatchedRoute {
  /** What SDKs and the reference call it: `references_create`. */
  operationId: string;
  /** With `:id` where an id stands. */
  path: string;
  /** The kind of object that its body, its parameters and the errors about them speak of, in the shape of the request's version. */
  object: string;
  query: Record<string, TSchema>;
  /** Null if nothing in the answer is linked to anything. */
  expandable: Expandable | null;
  /** What the reference says of it. */
  docs: OperationDocs & { summary: string };
  answer: RouteAnswer;
}

/**
 * What is answered with status 200: a record, with its secrets never, always, or for whoever may change it; a list of records; what is
 * left of a record that was deleted; an object that is no record, or a list of such; a file; or records as they are made.
 */
export type RouteAnswer =
  | { kind: 'record'; resource: Resource; secrets: 'never' | 'always' | 'to_writers' }
  | { kind: 'list' | 'deletion'; resource: Resource }
  | { kind: 'stream'; resource: Resource }
  | { kind: 'object' | 'objects'; name: string; schema: TObject; example: JsonObject }
  | { kind: 'file'; contentType: string; description: string };

/** A route's query: whole numbers are read as such, everything else is text. */
export type Query = Record<string, string | number | undefined>;

/** What a route answers that may have links. */
export interface Expandable {
  resource: Resource;
  isList: boolean;
}

export interface ReadRoute extends RouteBase {
  method: 'GET';
  read(request: ApiRequest, query: Query): Promise<JsonObject>;
}

/** Answers bytes, and not JSON. */
export interface ContentsRoute extends RouteBase {
  method: 'GET';
  open(request: ApiRequest): Promise<OpenContents>;
}

export interface OpenContents {
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  bytes: AsyncIterable<Buffer>;
}

/** Answers server-sent events for as long as its client listens. */
export interface StreamRoute extends RouteBase {
  method: 'GET';
  follow(request: ApiRequest, query: Query): Promise<Followed>;
}

/** What a client follows. */
export interface Followed {
  /**
   * Returns the next events in their order, to be released when they were sent. They are none if there was none within `timeoutMs`, if there
   * was no room in memory, or if `leave` was called.
   *
   * @throws {UnavailableError} they cannot be read just now.
   * @throws {PositionRemovedError} some of them may have been removed before they were read.
   */
  next(timeoutMs: number): Promise<HeldEvents>;
  leave(): void;
  /** Whether the client wants it. */
  has(event: PlacedEvent): boolean;
  /** As it is sent. */
  messageOf(event: PlacedEvent): string;
}

export interface WriteRoute extends RouteBase {
  method: 'POST' | 'DELETE';
  body: TObject;
  /** The body's schema says what becomes of a form. */
  upload: UploadRoute | null;
  /** Whether the answer shows the record's secrets. */
  showsSecrets: boolean;
  /** Whether its decision judges the acting key as it is at that moment. */
  judgesKeyAnew?: true;
  secretMembers: readonly string[];
  /** How long others may go on with what they have read of the record. */
  propagationDelayMs: number;
  /** The records it will change, as far as can be known before: others that change them wait their turn. */
  touches(request: ApiRequest, input: object): Promise<string[]> | string[];
  /** Reads what it needs and decides; called again if a record moved meanwhile. */
  decide(request: ApiRequest, input: object, caller: Caller): Promise<Decision | ClockDecision>;
  /** What happens outside of this server before the decision, which finds it there. Not for a request that is repeated by its key. */
  beforehand?(request: ApiRequest, input: object): Promise<void>;
  /** What the answer to a change waits for when it is durable; not run for a refusal. It is done in any case, later if it fails now. */
  afterwards?(request: ApiRequest): Promise<void>;
}

/** What is decided about no record, but about the time of all. */
export interface ClockDecision {
  clockAdvance: ClockAdvance;
  answer: JsonObject;
}

/** `webhook_endpoints` as it is said: webhook endpoints. */
export function displayName(name: string): string {
  return name.replaceAll('_', ' ').replace(/^api\b/, 'API');
}

/** Returns what people call one record of a kind, with its article: `an application`. */
export function aOrAn({ object }: Resource): string {
  return `${/^[aeiou]/.test(object) ? 'an' : 'a'} ${displayName(object)}`;
}
