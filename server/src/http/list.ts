import { Type, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../core/errors.ts';
import { isId } from '../core/ids.ts';
import type { Resource } from '../core/resource.ts';
import type { ListQuery } from '../db/lists.ts';
import type { Query } from './query.ts';

const limitDefault = 20;
const Time = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
const Cursor = Type.String({ minLength: 1, maxLength: 255 });

/** The query parameters of a resource's list. */
export function listParameters(resource: Resource): Record<string, TSchema> {
  const filters = Object.entries(resource.filters ?? {}).map(([name, { schema }]) => [name, schema]);
  return {
    ...Object.fromEntries(filters),
    'created[gt]': Time,
    'created[gte]': Time,
    'created[lt]': Time,
    'created[lte]': Time,
    limit: Type.Integer({ minimum: 1, maximum: 50 }),
    offset: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    starting_after: Cursor,
    ending_before: Cursor,
  };
}

/** What a list's query asks for. */
export function listQuery(resource: Resource, query: Query, accountId: string): ListQuery {
  const cursor = cursorOf(resource, query);
  if (cursor && query.offset !== undefined) throw exclusive('offset', cursor.param);
  return {
    accountId,
    filters: Object.entries(resource.filters ?? {})
      .filter(([name]) => query[name] !== undefined)
      .map(([name, filter]) => ({ filter, value: String(query[name]) })),
    created: boundsOf(query),
    limit: (query.limit as number | undefined) ?? limitDefault,
    offset: (query.offset as number | undefined) ?? 0,
    cursor,
  };
}

function boundsOf(query: Query): ListQuery['created'] {
  const created: ListQuery['created'] = {};
  for (const bound of ['gt', 'gte', 'lt', 'lte'] as const) {
    const seconds = query[`created[${bound}]`];
    if (typeof seconds === 'number') created[bound] = seconds;
  }
  return created;
}

function cursorOf(resource: Resource, query: Query): (NonNullable<ListQuery['cursor']> & { param: string }) | null {
  const { starting_after: after, ending_before: before } = query;
  if (after !== undefined && before !== undefined) throw exclusive('starting_after', 'ending_before');
  const param = after !== undefined ? 'starting_after' : 'ending_before';
  const id = after ?? before;
  if (id === undefined) return null;
  if (typeof id !== 'string' || !isId(resource.prefix, id)) {
    throw invalidParameter(
      param,
      `\`${param}\` must be the id of a record in this list, such as \`${resource.prefix}_…\`.`,
    );
  }
  return { direction: after !== undefined ? 'after' : 'before', id, param };
}

function exclusive(left: string, right: string): ApiError {
  return new ApiError(
    'parameters_exclusive',
    `\`${left}\` and \`${right}\` exclude each other; send only one of them.`,
    { param: left },
  );
}
