import { Type } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { isNonEmpty } from '../../core/arrays.ts';
import { UnavailableError } from '../../db/pools.ts';
import { includesPermission } from '../../model/callers/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas/make.ts';
import { searchable } from '../../model/traits/searchable.ts';
import { findByIdStart, findIds, findPhrase } from '../../search/find.ts';
import { matchOf, type Match } from '../../search/match.ts';
import type { TextContext } from '../../search/texts.ts';
import { charactersOf, fold, wordsOf, type Word } from '../../search/words.ts';
import type { HttpContext } from '../context.ts';
import { countingReader } from '../read-memory.ts';
import type { ApiRequest } from '../request.ts';
import { renderExpanded } from '../response/expand.ts';
import type { Query, ReadRoute } from '../route.ts';

/** Results of a response. */
const resultsMax = 20;

/** Ids of a kind that are looked at. Some may be outdated, or show only what the key may not read. */
const candidatesMax = 2 * resultsMax + 1;

/** Records that are compared at once. */
const comparedAtOnce = resultsMax + 1;

const queryLengthMin = 2;
const queryLengthMax = 500;

/** Returns `GET /v1/search`: records of several kinds by parts of their texts. */
export function searchRoute(context: HttpContext): ReadRoute {
  const kinds = context.resources.filter((resource) => searchable.has(resource));
  const permissions = kinds.map(({ path }) => `${path}.read`);
  if (!isNonEmpty(permissions)) throw new Error('Bug! The search finds no kind of record.');
  const objects = kinds.map(({ object }) => object);
  const item = closedObject({
    type: described(oneOf(...objects), 'The kind of the record.'),
    id: Type.String({ description: 'The id of the record.' }),
    title: Type.String({ description: 'A line that names the record, for people.' }),
    subtitle: described(nullable(Type.String()), 'A second line, such as an e-mail address. Null if there is none.'),
    matched: Type.Array(Type.String(), {
      description:
        'The members with a word of the query, such as `name`. A member of a linked record has a path: `unit.building.address.city`. The name of a link, such as `customer`, means that only the linked record has the words.',
    }),
    record: Type.Unsafe<JsonObject>({ description: 'The record, as `GET /v1/<path>/{id}` returns it.' }),
  });
  const schema = closedObject({
    object: Type.Literal('search_result', { description: 'The kind of the object.' }),
    query: Type.String({ description: 'The query, as you sent it.' }),
    data: Type.Array(item, {
      maxItems: resultsMax,
      description:
        'The found records. First come records whose id begins with the query. Then come records with the query as a phrase: `flat 4` does not match Flat 41. Then come all others, the newest first. The search looks for phrases only in the newest records: 1,000 of each kind, or 250 of a kind with texts from linked records.',
    }),
    has_more: Type.Boolean({ description: 'Whether more records match. Send a longer query to see them.' }),
    indexed_until: described(
      nullable(Type.Integer()),
      'All changes until this time are found, in seconds since the Unix epoch. Mostly that is now. Under much load it is seconds earlier. Null while the first index of the account is being made.',
    ),
    account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
  });
  return {
    method: 'GET',
    operationId: 'search',
    docs: {
      summary: 'Search records',
      description: `Finds records by parts of their texts: names, e-mail addresses, phone numbers, addresses, numbers, and \`metadata\` values. It also finds references of banks and deposit schemes, and ids by their beginning. All words of the query must match, in any order. Case and accents do not matter. A word of three or more characters matches anywhere, and a shorter one at the beginning of a word. References are also found by their customer or application, invoices by their tenancy, and deposits by either. Erased persons are never found. A response has up to ${resultsMax} records. Your key must be able to read the records: kinds that it cannot read are left out.`,
      refusals: ['parameter_missing'],
    },
    response: {
      kind: 'search',
      resources: kinds,
      schema,
      item,
      example: {
        object: 'search_result',
        query: 'lovelace',
        data: exampleOf(kinds),
        has_more: false,
        indexed_until: 1_795_237_200,
      },
    },
    path: '/v1/search',
    permission: null,
    needsOneOf: permissions,
    object: 'search_result',
    expandable: null,
    requiredQuery: ['query'],
    query: {
      query: Type.String({
        minLength: queryLengthMin,
        maxLength: queryLengthMax,
        description: `The words, with ${queryLengthMin} to ${queryLengthMax} characters. Every character is literal: there are no wildcards.`,
      }),
      types: Type.String({
        pattern: `^(?:${objects.join('|')})(?:,(?:${objects.join('|')})){0,${objects.length - 1}}$`,
        examples: [objects.join(',')],
        description: `The kinds to search, with commas between them: ${objects.map((object) => `\`${object}\``).join(', ')}. The default is all that your key can read.`,
      }),
    },
    read: (request, query) => search(context, kinds, request, query),
  };
}

/** Returns a found record for the API docs. */
function exampleOf(kinds: readonly Resource[]): JsonObject[] {
  const kind = kinds.find(({ docs }) => typeof docs?.example?.record.name === 'string');
  const example = kind?.docs?.example?.record;
  if (!kind || !example) return [];
  const id = `${kind.prefix}_0VbZr1fe00bS0eOQrul9Xo`;
  return [
    {
      type: kind.object,
      id,
      title: example.name!,
      subtitle: example.email ?? null,
      matched: ['name'],
      record: { id, object: kind.object, created: 1_795_230_000, ...example },
    },
  ];
}

async function search(
  context: HttpContext,
  kinds: readonly Resource[],
  request: ApiRequest,
  { query: sent, types }: Query,
): Promise<JsonObject> {
  const text = String(sent);
  const words = wordsOf(text);
  requireWords(words);
  const readable = readableOf(context, kinds, request);
  const named = types === undefined ? null : String(types).split(',');
  const wanted = kinds.filter((kind) => readable.has(kind) && (named?.includes(kind.object) ?? true));
  const freshness = await context.searchIndex.catchUp(request.accountId, {
    budgetMs: context.searchWaitMs,
    nowSeconds: toSeconds(context.clock.nowMs()),
  });
  const ids = wanted.length === 0 ? [] : await candidatesOf(context, request, { text, words, wanted, readable });
  const { found, hasMore } = await compare(context, request, { text, words, readable }, ids);
  return {
    object: 'search_result',
    query: text,
    data: await Promise.all(found.map((one) => renderFound(context, request, one))),
    has_more: hasMore,
    indexed_until: freshness.indexedUntil,
    ...(request.hasServiceContext && { account: request.accountId }),
  };
}

/** @throws {ApiError} `parameter_invalid` if nothing is left to search for. */
function requireWords(words: readonly Word[]): void {
  const characters = words.reduce((sum, word) => sum + charactersOf(word.text).length, 0);
  if (characters >= queryLengthMin) return;
  throw invalidParameter(
    'query',
    `\`query\` has ${characters === 0 ? 'no character' : 'only one character'} to search for. Send at least ${queryLengthMin}. Spaces, accents and repeated words do not count.`,
  );
}

/** Returns the kinds that the caller may read, searched or linked. */
function readableOf({ resources }: HttpContext, kinds: readonly Resource[], { principal }: ApiRequest): Set<Resource> {
  const known = new Set([...kinds, ...resources]);
  return new Set([...known].filter(({ path }) => includesPermission(principal.permissions, `${path}.read`)));
}

interface Terms {
  text: string;
  words: readonly Word[];
  readable: ReadonlySet<Resource>;
}

/** @throws {ApiError} `overloaded` if the search takes too long. */
async function candidatesOf(
  { searcher, searchQueue }: HttpContext,
  request: ApiRequest,
  { text, words, wanted, readable }: Terms & { wanted: readonly Resource[] },
): Promise<string[]> {
  const { accountId } = request;
  const leading = [...readable].filter((resource) => searchable.has(resource));
  try {
    return await searchQueue.run(request.payer, request.memory!, async () => {
      const byId = await findByIdStart(searcher, { accountId, kinds: wanted, limit: candidatesMax }, text.trim());
      const asked = { accountId, words, kinds: wanted, leading, limit: candidatesMax };
      // "Flat 4" asks for that flat rather than for Flat 41, or Flat 2 in a house 41.
      const byPhrase = words.length === 1 ? [] : await findPhrase(searcher, asked, fold(text));
      const byText = await findIds(searcher, asked);
      return [...new Set([...byId, ...byPhrase, ...byText])];
    });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    throw new ApiError(
      'overloaded',
      'The search took more than a second, so it was stopped. Send a longer or rarer word, or fewer `types`, or try again shortly.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
}

/** A record that matches, and how. */
interface Found extends Match {
  resource: Resource;
  record: StoredRecord;
}

/** Compares the records as they are now. An entry of the index may be older, and may have texts that the caller may not read. */
async function compare(
  context: HttpContext,
  request: ApiRequest,
  { text, words, readable }: Terms,
  ids: readonly string[],
): Promise<{ found: Found[]; hasMore: boolean }> {
  const found: Found[] = [];
  const reading = readingOf(context, request, readable);
  const compareOne = async (id: string): Promise<Found | null> => {
    const resource = context.resources.find(({ prefix }) => id.startsWith(`${prefix}_`))!;
    const record = await reading.readRecord(resource, request.accountId, id);
    const match = record && (await matchOf(reading, resource, record, { text, words }));
    return match && { resource, record, ...match };
  };
  for (let at = 0; at < ids.length && found.length <= resultsMax; at += comparedAtOnce) {
    const compared = await Promise.all(ids.slice(at, at + comparedAtOnce).map(compareOne));
    found.push(...compared.filter((one) => one !== null));
  }
  return { found: found.slice(0, resultsMax), hasMore: found.length > resultsMax };
}

/** Reads each record once, and none that the caller may not read. */
function readingOf(context: HttpContext, { memory }: ApiRequest, readable: ReadonlySet<Resource>): TextContext {
  const readOnce = countingReader(context.readRecord, memory!);
  return {
    resources: context.resources,
    readRecord: async (kind, accountId, id) => (readable.has(kind) ? readOnce(kind, accountId, id) : null),
  };
}

async function renderFound(
  context: HttpContext,
  request: ApiRequest,
  { resource, record, title, subtitle, matched }: Found,
): Promise<JsonObject> {
  const { versions } = context;
  return {
    type: resource.object,
    id: record.id,
    title,
    subtitle,
    matched,
    // The conversion of the response finds only records that a record or a list has.
    record: versions.convert(
      await renderExpanded(context, request, resource, record, {}),
      versions.newest,
      request.version,
    ),
  };
}
