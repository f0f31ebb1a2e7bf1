import { Type, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { requireKnownEvents } from '../../../model/event-names.ts';
import { columnFor, type Resource } from '../../../model/resource.ts';
import { limitDefault, type ListQuery } from '../../../db/list-query.ts';
import type { HttpContext } from '../../context.ts';
import type { Query } from '../../route.ts';

/** Returns the query parameters of a resource's list. */
export function listParameters(resource: Resource): Record<string, TSchema> {
  const filters = Object.entries(resource.filters ?? {}).map(([name, { schema }]) => [name, schema]);
  return {
    ...Object.fromEntries(filters),
    'created[gt]': timeParameter('after'),
    'created[gte]': timeParameter('at or after'),
    'created[lt]': timeParameter('before'),
    'created[lte]': timeParameter('at or before'),
    limit: Type.Integer({
      minimum: 1,
      maximum: 50,
      description: `The number of records on a page. The default is ${limitDefault}.`,
    }),
    offset: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The number of records to skip. You cannot combine it with a cursor.',
    }),
    starting_after: cursorParameter('The page after the record with this id. Send the last id of the previous page.'),
    ending_before: cursorParameter('The page before the record with this id. Send the first id of the following page.'),
  };
}

function timeParameter(relation: string): TSchema {
  return Type.Integer({
    minimum: 0,
    maximum: 9_999_999_999,
    description: `Only records created ${relation} this time, in seconds since the Unix epoch.`,
  });
}

function cursorParameter(description: string): TSchema {
  return Type.String({ minLength: 1, maxLength: 255, description });
}

/**
 * Parses the query of a list.
 *
 * @throws {ApiError} `parameter_invalid` or `parameters_exclusive`.
 */
export function listQuery(
  { eventTypes }: Pick<HttpContext, 'eventTypes'>,
  resource: Resource,
  query: Query,
  accountId: string,
): ListQuery {
  requireKnownEvents(resource.filters ?? {}, query, eventTypes);
  const cursor = cursorOf(resource, query);
  if (cursor && query.offset !== undefined) throw exclusive('offset', cursor.param);
  return {
    accountId,
    filters: Object.entries(resource.filters ?? {})
      .filter(([name]) => query[name] !== undefined)
      .map(([name, filter]) => {
        const value = String(query[name]);
        return { filter: { ...filter, column: columnFor(filter, value) }, value };
      }),
    created: boundsOf(query),
    limit: Number(query.limit ?? limitDefault),
    offset: Number(query.offset ?? 0),
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
    `\`${left}\` and \`${right}\` exclude each other. Send only one of them.`,
    { param: left },
  );
}
