import { Type, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { isId, timeOfId } from '../../core/ids.ts';
import type { Filter, Resource } from '../../model/resource.ts';
import { retainedFromMs } from '../../core/retention.ts';
import type { PlacedEvent, Position } from '../../events/event-order.ts';
import { recordOfRow, type StoredRow } from '../../db/record-reader.ts';
import { recordMissing } from '../response/errors.ts';
import { render } from '../response/render.ts';
import { aOrAn, displayName, type StreamRoute } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { Query, Followed } from '../route.ts';

const lastEventId = 'Last-Event-ID';

/** `GET /v1/<path>/stream`: the account's records from now on, or from behind one that the client knows. */
export function streamRoute(context: HttpContext, resource: Resource): StreamRoute {
  const { path, prefix, filters = {} } = resource;
  const name = displayName(path);
  return {
    method: 'GET',
    operationId: `${path}_stream`,
    docs: {
      summary: `Stream ${name}`,
      description: `The account’s ${name} as they are committed, as server-sent events: \`id\` is the id of the ${displayName(resource.object)}, \`data\` is what the list shows of it. Nothing is lost and nothing comes twice: all streams of an account have one order, in which of two changes of one record the later comes later. A stream begins now; with \`Last-Event-ID\`, or \`after\`, it goes on behind that one. It can end at any time, as when the server stops: connect again with the last id that you have. It ends within a second when its key does, or may do this no longer. A comment comes every 15 seconds if nothing else does, with an id where filters have passed over ${name}; a client that does not read is cut off after 30 seconds.`,
      refusals: ['event_cursor_expired', 'resource_missing'],
    },
    answer: { kind: 'stream', resource },
    path: `/v1/${path}/stream`,
    permission: `${path}.read`,
    object: resource.object,
    expandable: null,
    query: {
      ...Object.fromEntries(Object.entries(filters).map(([filter, { schema }]): [string, TSchema] => [filter, schema])),
      after: Type.String({
        minLength: 1,
        maxLength: 255,
        description: `Go on behind the ${displayName(resource.object)} of this id, \`${prefix}_…\`: as \`${lastEventId}\` does, for clients that cannot send that.`,
      }),
    },
    async follow(request, query) {
      const follower = await context.eventFeed.follow(
        request.accountId,
        // Whose key it is, and not for whom it acts: as for the rate limit.
        request.payer,
        await positionOf(context, resource, request, query),
      );
      const wanted = Object.entries(filters).filter(([filter]) => query[filter] !== undefined);
      return {
        next: (timeoutMs) => follower.next(timeoutMs),
        leave: () => follower.leave(),
        has: ({ row }) => wanted.every(([filter]) => isMatch(filters[filter]!, String(query[filter]), row)),
        messageOf: (event) => messageOf(context, resource, event, request),
      } satisfies Followed;
    },
  };
}

/**
 * The place that a request names; null for now.
 *
 * @throws {ApiError} `event_cursor_expired` where that is so old that what came after it may be gone.
 */
async function positionOf(
  { eventFeed, clock, config }: HttpContext,
  resource: Resource,
  request: ApiRequest,
  { after }: Query,
): Promise<Position | null> {
  // Clients that have none yet send it empty. Those that have one have come further than the address that they come back to.
  const header = onlyHeaderOf(request.incoming, lastEventId) || undefined;
  const param = header === undefined ? 'after' : lastEventId;
  const id = header ?? after;
  if (id === undefined) return null;
  if (typeof id !== 'string' || !isId(resource.prefix, id)) {
    throw invalidParameter(
      param,
      `\`${param}\` must be the id of ${aOrAn(resource)}, such as \`${resource.prefix}_…\`.`,
    );
  }
  // A week may be kept longer than the one after it, so that an event is there and what came after it is not.
  if (timeOfId(id) >= retainedFromMs(clock.nowMs(), config.retentionDays)) {
    const position = await eventFeed.positionOf(request.accountId, id);
    if (position) return position;
    const oldest = await eventFeed.oldestOf(request.accountId);
    if (oldest !== null && id > oldest) throw recordMissing(resource, id, param);
  }
  throw new ApiError(
    'event_cursor_expired',
    `\`${id}\` is older than what is kept, so what came after it may be gone. Read the records that you need from their lists, and begin a stream without \`${param}\`.`,
    { param },
  );
}

/** As the list's filters do in SQL. */
function isMatch({ column, match }: Filter, value: string, row: StoredRow): boolean {
  const kept = row[column];
  switch (match) {
    case 'exact':
      return kept === value;
    case 'contains':
      return (kept as string[]).includes(value);
    case 'prefix':
      return value.endsWith('*') ? (kept as string).startsWith(value.slice(0, -1)) : kept === value;
    case 'caseless':
    case 'status':
      throw new Error(`Bug! Nothing that is streamed is filtered by ${match}.`);
  }
}

/** What is the same for all who follow an account in one version is made once. */
const messages = new WeakMap<PlacedEvent, Map<string, string>>();

/** An event as it is sent, in the request's version (HTML Standard, 9.2.6). It names no type of its own, so that `onmessage` gets it. */
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
