import { isObject, type Json, type JsonObject } from '../../core/json-diff.ts';
import { isId } from '../../core/ids.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { bytesOf } from '../../db/record-reader.ts';
import { render } from './render.ts';
import type { ApiRequest, Expansion } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { hideBody } from './hidden-bodies.ts';
import type { Expandable } from '../route.ts';
import { requirePermission } from '../../model/callers/permissions.ts';

/** The largest number of links in a path. */
const depthMax = 4;

/**
 * Parses the paths to expand. In a list they begin with `data`. A path may lead to a kind of record that this server does not have: its ids
 * stay ids.
 *
 * @throws {ApiError} `parameter_invalid` for an unknown path, `permission_denied` for records that the key may not read.
 */
export function readExpansion(
  context: HttpContext,
  request: ApiRequest,
  expandable: Expandable | null,
  paths: readonly string[],
): Expansion {
  const expansion: Expansion = {};
  const isList = expandable?.isList === true;
  for (const path of paths) {
    const segments = path.split('.');
    const names = isList ? segments.slice(1) : segments;
    const isPath = names.length > 0 && names.length <= depthMax && (!isList || segments[0] === 'data');
    if (!expandable || !isPath) throw unknownPath(path, linksOf(context, request, expandable));
    addPath(context, request, expandable.resource, names, expansion, { path, before: isList ? 'data.' : '' });
  }
  return expansion;
}

function addPath(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource,
  names: string[],
  expansion: Expansion,
  { path, before }: { path: string; before: string },
): void {
  const links = resource.links ?? {};
  const { versions, resources } = context;
  const nameOf = (known: string): string =>
    versions.convertName(resource.object, known, versions.newest, request.version);
  // A link into a list of objects has two names: `pet_requests.customer`.
  const link = Object.keys(links).find((known) => `${names.join('.')}.`.startsWith(`${nameOf(known)}.`));
  if (link === undefined) {
    throw unknownPath(
      path,
      Object.keys(links).map((known) => before + nameOf(known)),
      before.replace(/\.$/, ''),
    );
  }
  const target = resources.find((candidate) => candidate.path === links[link]);
  if (target) requirePermission(`${target.path}.read`, request.principal);
  const inner = (expansion[link] ??= {});
  const depth = link.split('.').length;
  const [name, rest] = [names.slice(0, depth).join('.'), names.slice(depth)];
  if (rest.length === 0) return;
  if (!target) throw unknownPath(path, [], before + name);
  addPath(context, request, target, rest, inner, { path, before: `${before}${name}.` });
}

/** Returns the paths of a route's response with one link. */
function linksOf({ versions }: HttpContext, request: ApiRequest, expandable: Expandable | null): string[] {
  const { links = {}, object } = expandable?.resource ?? { object: '' };
  const names = Object.keys(links).map((link) => versions.convertName(object, link, versions.newest, request.version));
  return names.map((name) => (expandable?.isList ? `data.${name}` : name));
}

/**
 * @param known the valid paths at the place of the error.
 * @param at the path to that place. Left out for the response itself.
 */
function unknownPath(path: string, known: readonly string[], at = ''): Error {
  const there =
    known.length === 0
      ? `${at === '' ? 'This response' : `\`${at}\``} has no linked records.`
      : `Valid paths are ${known.map((name) => `\`${name}\``).join(', ')}.`;
  return invalidParameter(
    'expand',
    `\`${path.slice(0, 80).toWellFormed()}\` is not a path to a linked record here. ${there} Paths of a list begin with \`data.\`.`,
  );
}

/** The bytes of the records that one response has in the place of ids. */
interface Expanded {
  bytes: number;
}

/**
 * Renders a record in the newest shape, with linked records in the place of ids. An id without a record in this account stays an id.
 *
 * @throws {ApiError} `parameter_invalid` if the response becomes too large.
 */
export async function renderExpanded(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource,
  record: StoredRecord,
  expansion: Expansion = request.expansion,
  expanded: Expanded = { bytes: 0 },
): Promise<JsonObject> {
  const object = render(context.versions, resource, record, request);
  hideBody(object, resource, record, request.principal);
  // The response to a write is not counted. So its linked records are read one at a time.
  const inTurn = request.memory === null;
  for (const [link, inner] of Object.entries(expansion)) {
    const target = context.resources.find(({ path }) => path === resource.links![link]);
    if (!target) continue;
    await expandAt(object, link.split('.'), inTurn, (id) => expandId(context, request, target, id, inner, expanded));
  }
  return object;
}

/** Replaces the ids at a link of an object by their records. */
async function expandAt(
  object: JsonObject,
  [name = '', ...inner]: string[],
  inTurn: boolean,
  whole: (id: Json) => Promise<Json>,
): Promise<void> {
  const expandedItem = async (item: Json): Promise<Json> => {
    if (inner.length === 0) return whole(item);
    if (!isObject(item)) return item;
    const copy = { ...item };
    await expandAt(copy, inner, inTurn, whole);
    return copy;
  };
  const value = object[name]!;
  if (!Array.isArray(value)) object[name] = await expandedItem(value);
  else object[name] = await (inTurn ? eachInTurn(value, expandedItem) : Promise.all(value.map(expandedItem)));
}

async function eachInTurn<Item, Result>(items: readonly Item[], convert: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (const item of items) results.push(await convert(item));
  return results;
}

/** More than the largest page without expanded records, in bytes. The limit is needed because one record can occur thousands of times. */
const expandedBytesMax = 32 * 1024 * 1024;

/** The linked records in a response to a write, in bytes. The response is stored with its log. */
const storedBytesMax = 512 * 1024;

/** @throws {ApiError} `parameter_invalid` if the response becomes too large. */
function countExpanded({ memory }: ApiRequest, record: StoredRecord, expanded: Expanded): void {
  const bytes = bytesOf(record);
  memory?.use(bytes);
  expanded.bytes += bytes;
  if (memory && memory.usedBytes > expandedBytesMax)
    throw invalidParameter(
      'expand',
      `With these records, the response would have more than ${expandedBytesMax / 1024 / 1024} MB. Expand less, or request fewer records with \`limit\`.`,
    );
  if (!memory && expanded.bytes > storedBytesMax)
    throw invalidParameter(
      'expand',
      `The linked records have more than ${storedBytesMax / 1024} kB, the most in a response to a change. Nothing was changed. Expand less, or retrieve the record with \`expand\` afterwards.`,
    );
}

async function expandId(
  context: HttpContext,
  request: ApiRequest,
  target: Resource,
  id: Json,
  inner: Expansion,
  expanded: Expanded,
): Promise<Json> {
  if (typeof id !== 'string' || !isId(target.prefix, id)) return id;
  const read = (): Promise<StoredRecord | null> => context.readRecord(target, request.accountId, id);
  const record = await (request.memory ? request.memory.readUnknown(read) : read());
  if (!record) return id;
  countExpanded(request, record, expanded);
  return renderExpanded(context, request, target, record, inner, expanded);
}
