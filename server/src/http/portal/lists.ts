import { Type, type TSchema } from 'typebox';
import { invalidParameter } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { limitDefault, type ListQuery } from '../../db/list-query.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Filter, Resource } from '../../model/resource.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { Query } from '../route.ts';
import { listQuery } from '../routes/records/list.ts';
import { loadPage } from '../routes/records/load-record.ts';
import type { IdPage, PageQuery } from './find.ts';
import { viewerOf } from './own-records.ts';

/** The parameters of each list. */
export const paging: Record<string, TSchema> = {
  limit: Type.Integer({ minimum: 1, maximum: 50 }),
  starting_after: Type.String({ minLength: 1, maxLength: 255 }),
};

/** What a list shows of the records that name the person. */
type Selection = Partial<Pick<ListQuery, 'filters' | 'without'>>;

/** Leaves out the drafts of the office. */
export const withoutDrafts: Selection = { without: { column: 'status', beginnings: ['draft'] } };

/** Leaves out the drafts of the office, also those that were canceled before the signature. */
export const onlySigned: Selection = {
  filters: [
    {
      filter: {
        column: 'signed_on',
        match: 'condition',
        conditions: { signed: 'signed_on is not null' },
        schema: {},
      },
      value: 'signed',
    },
  ],
};

/** Returns a page of the records that name the person. */
export function listOfPerson<R extends StoredRecord>(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource<R>,
  query: Query,
  view: (record: R) => Promise<JsonObject>,
  selection: Selection = {},
): Promise<JsonObject> {
  const { column, match } = resource.filters!.customer!;
  const value = viewerOf(request).customerId;
  return listWith(context, request, resource, query, { column, match, value }, view, selection);
}

/** Returns a page of the records with this value. */
export async function listWith<R extends StoredRecord>(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource<R>,
  query: Query,
  { value, ...filter }: Pick<Filter, 'column' | 'match'> & { value: string },
  view: (record: R) => Promise<JsonObject>,
  { filters = [], without = null }: Selection = {},
): Promise<JsonObject> {
  const wanted = listQuery(context, resource, query, request.accountId);
  wanted.filters.push({ filter: { ...filter, schema: {} }, value }, ...filters);
  const page = await loadPage(context, resource, { ...wanted, without }, request);
  return listOf(page.count, page.hasMore, await Promise.all((page.records as R[]).map(view)));
}

/** Returns a page of records by their ids. */
export async function listOfIds<R extends StoredRecord>(
  context: HttpContext,
  { accountId }: ApiRequest,
  resource: Resource<R>,
  { ids, count, hasMore }: IdPage,
  view: (record: R) => Promise<JsonObject>,
): Promise<JsonObject> {
  const records = await Promise.all(ids.map((id) => context.readRecord(resource, accountId, id)));
  return listOf(count, hasMore, await Promise.all(records.flatMap((record) => (record ? [view(record)] : []))));
}

function listOf(count: number, hasMore: boolean, data: Json[]): JsonObject {
  return { object: 'list', count, has_more: hasMore, data };
}

/** @throws {ApiError} `parameter_invalid` for a cursor of another kind. */
export function pageQueryOf(
  { prefix }: Pick<Resource, 'prefix'>,
  { limit = limitDefault, starting_after: after = '', tenancy: ofTenancy = '' }: Query,
): PageQuery {
  if (after !== '' && !isId(prefix, String(after)))
    throw invalidParameter(
      'starting_after',
      `\`starting_after\` must be the id of a record in this list: \`${prefix}_…\`.`,
    );
  return { limit: Number(limit), after: String(after), tenancy: String(ofTenancy) };
}
