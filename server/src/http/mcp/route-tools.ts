import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import { invalidParameter, missingParameter } from '../../core/errors.ts';
import { idLengthMax, idPattern } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { includesPermission } from '../../model/callers/permissions.ts';
import type { Resource } from '../../model/resource.ts';
import type { HttpContext } from '../context.ts';
import { published, type Piece } from '../openapi/published.ts';
import { Schemas } from '../openapi/schemas.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { sensitivityOf, type Route, type WriteRoute } from '../route.ts';
import { callApi } from './call-api.ts';
import type { Tool, ToolDescription } from './tool.ts';

/**
 * The operations that are tools, with what a client may tell its user about them. A tool appears if the server has its route.
 * Keys, the team, settings, versions and endpoints are left to persons, as are deletions and the bytes of files.
 */
const writeOperations: Readonly<Record<string, { isDestructive: boolean }>> = {
  references_create: { isDestructive: false },
  references_update: { isDestructive: true },
  references_cancel: { isDestructive: true },
  applications_create: { isDestructive: false },
  applications_update: { isDestructive: true },
  customers_create: { isDestructive: false },
  customers_update: { isDestructive: true },
  events_resend: { isDestructive: false },
  webhook_endpoints_ping: { isDestructive: false },
  webhook_endpoints_recover: { isDestructive: false },
  approval_requests_cancel: { isDestructive: true },
  test_helpers_references_advance: { isDestructive: false },
  test_helpers_references_complete: { isDestructive: false },
  test_helpers_references_fail: { isDestructive: false },
};

/** The most characters of a description. A model reads all of them before each step. */
const descriptionMax = 220;
const memberDescriptionMax = 110;

const idInput: Piece = { type: 'string' };
const keyInput: Piece = { type: 'string', description: 'The same key repeats a call safely.' };
const reasonInput: Piece = { type: 'string', description: 'Why, for the person that approves it.' };

/** Returns the tools that change records: one for each operation, so that a client can allow each by itself. */
export function writeTools(context: HttpContext, routes: readonly Route[]): Tool[] {
  return Object.entries(writeOperations).flatMap(([operationId, { isDestructive }]) => {
    const route = routes.find((each) => each.operationId === operationId);
    return route && route.method === 'POST' ? [writeTool(context, route, isDestructive)] : [];
  });
}

function writeTool(context: HttpContext, route: WriteRoute, isDestructive: boolean): Tool {
  const { operationId: name, docs, object, body, path } = route;
  const hasId = path.includes(':id');
  const places = new Set(path.split('/'));
  const resource = context.resources.find(({ path: kind }) => places.has(kind));
  const canBeHeld = sensitivityOf(route) !== 'never';
  for (const taken of ['id', 'idempotency_key', 'approval_reason'])
    if (taken in body.properties) throw new Error(`Bug! The body of ${name} has \`${taken}\`, as its tool does.`);
  const described = new Map<string, ToolDescription>();
  return {
    name,
    isWrite: true,
    kinds: [...(resource ? [resource.path] : []), ...(path.startsWith('/v1/test_helpers/') ? ['test_helpers'] : [])],
    describe({ known }) {
      if (!isPermitted(route, known)) return null;
      const made = described.get(known.version) ?? describe(known.version);
      described.set(known.version, made);
      return made;
    },
    async run(call, input) {
      const { id, idempotency_key: key = randomUUID(), ...others } = input;
      const { approval_reason: given, ...withoutReason } = others;
      const [reason, members] = canBeHeld ? [given, withoutReason] : [undefined, others];
      if (typeof key !== 'string') throw invalidParameter('idempotency_key', '`idempotency_key` must be a text.');
      if (reason !== undefined && typeof reason !== 'string')
        throw invalidParameter('approval_reason', '`approval_reason` must be a text.');
      const { object: answer, headers } = await callApi(call, {
        method: 'POST',
        path: hasId ? path.replace(':id', idOf(id)) : path,
        // Without an id in its path, the API refuses the member as any other that it does not know.
        body: hasId || id === undefined ? members : { id, ...members },
        idempotencyKey: key,
        ...(reason !== undefined && { reason }),
      });
      return {
        object: resource ? withoutSecrets(context, resource, call.known.version, answer) : answer,
        meta: {
          'tenure/request': headers['request-id'] ?? '',
          'tenure/idempotency-key': key,
          'tenure/replayed': headers['idempotent-replayed'] === 'true',
        },
      };
    },
  };

  function describe(version: string): ToolDescription {
    const { versions } = context;
    const schemas = new Schemas(context, version);
    const input = inputOfProperties(context, version, object, body.properties, resource);
    const required = (body.required ?? []).map((member) =>
      versions.convertName(object, member, versions.newest, version),
    );
    return {
      name,
      title: docs.summary,
      description: schemas.worded(object, short(docs.description ?? `${docs.summary}.`, descriptionMax)),
      inputSchema: {
        ...input,
        properties: {
          ...(hasId && { id: idInput }),
          ...(input.properties as Piece),
          idempotency_key: keyInput,
          ...(canBeHeld && { approval_reason: reasonInput }),
        },
        required: [...(hasId ? ['id'] : []), ...required],
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: isDestructive,
      },
    };
  }
}

/** Returns a text that can be an id, so that no other path is meant. */
function idOf(value: unknown): string {
  if (value === undefined) throw missingParameter('id', '`id` is missing. Send the id of the record.');
  if (typeof value !== 'string' || value.length > idLengthMax || !new RegExp(idPattern).test(value))
    throw invalidParameter('id', '`id` must be the id of a record, such as `ref_…`.');
  return value;
}

/** Returns whether a key may use a route. The API judges each call anew. */
export function isPermitted(route: Route, { principal }: AuthenticatedRequest): boolean {
  if (route.isForPersons) return false;
  const { permission, alsoNeeds = [], needsOneOf } = route;
  const isHeld = (needed: string): boolean => includesPermission(principal.permissions, needed);
  if (needsOneOf && !needsOneOf.some(isHeld)) return false;
  return [...(permission === null ? [] : [permission]), ...alsoNeeds].every(isHeld);
}

/** Returns the schema of a tool's input from the members of a body or a query, in this version. */
export function inputOfProperties(
  context: Pick<HttpContext, 'versions' | 'resources'>,
  version: string,
  object: string,
  properties: Record<string, TSchema>,
  resource?: Resource,
): { type: 'object' } & Piece {
  const { versions } = context;
  const schemas = new Schemas(context, version);
  const texts = Object.entries(properties).map(([name, schema]): [string, TSchema] => {
    const { description = resource?.fields[name]?.description }: Piece = { ...schema };
    return [name, { ...schema, ...(description !== undefined && { description }) }];
  });
  const inVersion = versions.propertiesIn(version, object, Object.fromEntries(texts));
  const members = Object.entries(inVersion).map(([name, schema]) => [
    name,
    compact(
      published(schema, 'request', (_, { description: __, ...piece }) => piece),
      (text) => schemas.worded(object, text),
    ),
  ]);
  return {
    type: 'object',
    properties: JSON.parse(JSON.stringify(Object.fromEntries(members))) as Piece,
    additionalProperties: false,
  };
}

/** Keywords that only judge a value. The API does that, with an error that says more. */
const judgingKeywords = new Set(['pattern', 'minLength', 'maxLength', 'propertyNames', 'maxProperties']);

/** Keywords about a value that is left out, or that only people need. */
const furtherKeywords = new Set(['default', 'example', 'examples', 'title', 'definition']);

/** The formats of JSON Schema that the API has. */
const commonFormats = new Set(['date', 'email', 'uri']);

/** Returns a schema as short as a model needs it. A model reads the schemas of all tools before each step. */
function compact(schema: Piece, worded: (text: string) => string): Piece {
  const parts = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (judgingKeywords.has(keyword) || furtherKeywords.has(keyword)) return [];
    // A client that checks values itself may refuse a format that it does not know.
    if (keyword === 'format' && !commonFormats.has(String(value))) return [];
    if (keyword === 'description') return [[keyword, worded(short(String(value), memberDescriptionMax))]];
    if (keyword === 'properties') {
      const members = Object.entries(value as Record<string, Piece>);
      return [[keyword, Object.fromEntries(members.map(([name, member]) => [name, compact(member, worded)]))]];
    }
    if (Array.isArray(value)) return [[keyword, value.map((one) => (isPiece(one) ? compact(one, worded) : one))]];
    return [[keyword, isPiece(value) ? compact(value, worded) : value]];
  });
  return Object.fromEntries(parts);
}

function isPiece(value: unknown): value is Piece {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the first sentences of a text, as many as have room. Of a first sentence that is too long, the words that have. */
function short(text: string, max: number): string {
  // The type of a member tells that it can be null.
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/ Null if [^.]*\./g, '');
  if (plain.length <= max) return plain;
  const sentences = plain.match(/[^.]+(?:\.(?!\s)[^.]*)*\.?\s*/g) ?? [plain];
  let kept = '';
  for (const sentence of sentences) {
    if (kept.length + sentence.trimEnd().length > max) break;
    kept += sentence;
  }
  if (kept !== '') return kept.trimEnd();
  return `${plain.slice(0, plain.lastIndexOf(' ', max))} …`;
}

/** Returns a record without its secrets, which a key with `…write` gets from the API. */
export function withoutSecrets(
  { versions }: Pick<HttpContext, 'versions'>,
  resource: Resource,
  version: string,
  object: JsonObject,
): JsonObject {
  const secrets = Object.entries(resource.fields)
    .filter(([, { shown }]) => shown === 'as_secret')
    .map(([name]) => versions.convertName(resource.object, name, versions.newest, version));
  if (object.object !== resource.object || secrets.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !secrets.includes(name)));
}
