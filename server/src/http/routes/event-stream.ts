import { Type, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { isPrefixMatch, requireKnownEvents } from '../../model/event-names.ts';
import { columnFor, type Filter, type Resource } from '../../model/resource.ts';
import { isRetained } from '../../core/retention.ts';
import { beginning, type Moment, type PlacedEvent, type Position } from '../../events/event-order.ts';
import { recordOfRow, type StoredRow } from '../../db/record-reader.ts';
import { recordMissing } from '../response/errors.ts';
import { render } from '../response/render.ts';
import { aOrAn, displayName, type StreamRoute } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { hiddenFrom, isHidden } from '../response/hidden-events.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { Query, Subscription } from '../route.ts';

const lastEventId = 'Last-Event-ID';

/** Names the position before all events, which has no event. A stream of an account without events begins there. */
const beginningId = 'beginning';

/** Returns `GET /v1/<path>/stream`: the account's records from now on, or after a given one. */
export function streamRoute(context: HttpContext, resource: Resource): StreamRoute {
  const { path, prefix, filters = {} } = resource;
  const name = displayName(path);
  return {
    method: 'GET',
    operationId: `${path}_stream`,
    docs: {
      summary: `Stream ${name}`,
      description: `Sends the account’s ${name} as soon as they are committed, as server-sent events. \`id\` is the id of the ${displayName(resource.object)}, and \`data\` is what the list shows of it. Nothing is lost or repeated. All streams of an account have the same order, and changes of one record come in their order. A stream begins now, and first tells the id of its position. With \`Last-Event-ID\` or \`after\`, it resumes after that ${displayName(resource.object)}. It can end at any time, for example when the server stops. Then reconnect with the last id that you have. It ends within a second after its key ends or loses the permission. After 15 seconds without data you get a comment, which has an id if filters have skipped ${name}. A client that does not read is disconnected after 30 seconds.`,
      refusals: ['event_cursor_expired', 'resource_missing'],
    },
    response: { kind: 'stream', resource },
    path: `/v1/${path}/stream`,
    permission: `${path}.read`,
    object: resource.object,
    expandable: null,
    query: {
      ...Object.fromEntries(Object.entries(filters).map(([filter, { schema }]): [string, TSchema] => [filter, schema])),
      after: Type.String({
        minLength: 1,
        maxLength: 255,
        description: `Resumes after the ${displayName(resource.object)} with this id, \`${prefix}_…\`, like \`${lastEventId}\`. For clients that cannot send this header. \`${beginningId}\` stands before all stored ${name}.`,
      }),
    },
    async subscribe(request, query) {
      requireKnownEvents(filters, query, context.eventTypes);
      const subscriber = await context.eventFeed.subscribe(
        request.accountId,
        // As for the rate limit, the account of the key counts, not the one acted upon.
        request.payer,
        await positionOf(context, resource, request, query),
      );
      const wanted = Object.entries(filters).filter(([filter]) => query[filter] !== undefined);
      return {
        startId: subscriber.since && (await startIdOf(context, resource, request, subscriber.since)),
        next: (timeoutMs) => subscriber.next(timeoutMs),
        leave: () => subscriber.leave(),
        has: ({ row }) => wanted.every(([filter]) => isMatch(filters[filter]!, String(query[filter]), row)),
        isHidden: ({ row }, principal) => isHidden(context, resource, row, principal),
        messageOf: (event) => messageOf(context, resource, event, request),
      } satisfies Subscription;
    },
  };
}

/**
 * Returns the position after which a stream begins, or null for now. The position may be a hidden event. A client that has lost a permission
 * still has such an id, and must lose no events. Ids cannot be guessed, so this tells nothing new.
 *
 * @throws {ApiError} `event_cursor_expired` if the position is so old that later events may have been removed, or lost in a restore.
 */
async function positionOf(
  { eventFeed, clock, config }: HttpContext,
  resource: Resource,
  request: ApiRequest,
  { after }: Query,
): Promise<Position | null> {
  // Clients without a position send an empty header. A position in the header is newer than the one in the URL.
  const header = onlyHeaderOf(request.incoming, lastEventId) || undefined;
  const param = header === undefined ? 'after' : lastEventId;
  const id = header ?? after;
  if (id === undefined) return null;
  if (id === beginningId) return beginning;
  if (typeof id !== 'string' || !isId(resource.prefix, id)) {
    throw invalidParameter(
      param,
      `\`${param}\` must be the id of ${aOrAn(resource)}, such as \`${resource.prefix}_…\`, or \`${beginningId}\`.`,
    );
  }
  // A week's partition may outlive the following one. Then an event exists, but its successors do not.
  if (isRetained(id, clock.nowMs(), config.retentionDays)) {
    const position = await eventFeed.positionOf(request.accountId, id);
    if (position) return position;
    const oldest = await eventFeed.oldestOf(request.accountId);
    if (oldest !== null && id > oldest) throw recordMissing(resource, id, param);
  }
  throw new ApiError(
    'event_cursor_expired',
    `\`${id}\` is no longer stored: it is older than the retention time, or a restore has lost it. Later events may be gone, too. Open a stream without \`${param}\`. Then read the records that you need from their lists.`,
    { param },
  );
}

/** Returns the position where a stream begins that has asked for none. It is the newest event that the principal may see. */
async function startIdOf(
  context: HttpContext,
  resource: Resource,
  { accountId, principal }: ApiRequest,
  { settledId, position }: Moment,
): Promise<string> {
  const hidden = hiddenFrom(context, resource, principal);
  const id =
    hidden && settledId !== null
      ? await context.eventFeed.newestBefore(accountId, position, hidden.beginnings)
      : settledId;
  return id !== null && isRetained(id, context.clock.nowMs(), context.config.retentionDays) ? id : beginningId;
}

/** Applies a filter like the list's SQL. */
function isMatch(filter: Filter, value: string, row: StoredRow): boolean {
  const kept = row[columnFor(filter, value)];
  switch (filter.match) {
    case 'exact':
      return kept === value;
    case 'contains':
      return Array.isArray(kept) && kept.includes(value);
    case 'prefix':
      return isPrefixMatch(String(kept), value);
    case 'caseless':
    case 'status':
    case 'condition':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      throw new Error(`Bug! Nothing that is streamed is filtered by ${filter.match}.`);
  }
}

/** Messages by event and version. All streams of an account in one version share them. */
const messages = new WeakMap<PlacedEvent, Map<string, string>>();

/** Returns an event's message in the request's version (HTML Standard, 9.2.6). It has no type, so that `onmessage` receives it. */
function messageOf({ versions }: HttpContext, resource: Resource, event: PlacedEvent, request: ApiRequest): string {
  let shapes = messages.get(event);
  if (!shapes) messages.set(event, (shapes = new Map()));
  let message = shapes.get(request.version);
  if (message === undefined) {
    const object = render(versions, resource, recordOfRow(resource, event.row), request);
    const shown = versions.convert(object, versions.newest, request.version);
    message = `id: ${event.id}\ndata: ${JSON.stringify(shown)}\n\n`;
    shapes.set(request.version, message);
  }
  return message;
}
