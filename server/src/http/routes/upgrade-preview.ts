import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderRecord } from '../../model/change.ts';
import { differencesOf, isObject, type Difference, type Json, type JsonObject } from '../../core/json-diff.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { Type, type TSchema } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { closedObject, described, nullable, named } from '../../model/schemas/make.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { readExpansion } from '../response/expand.ts';
import type { VersionedValidator } from '../body/input.ts';
import { loadPage } from './records/load-record.ts';
import { queryReader } from '../body/query.ts';
import type { WriteRoute } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { hiddenFrom } from '../response/hidden-events.ts';
import { findKnown } from '../../core/arrays.ts';

/** Reads the query of a mutating request, which has no parameter but `expand`. */
const readQuery = queryReader({});

/** The number of requests and of events to compare. They are read in small pages, because they can be large. */
const lookedAtMax = 100;
const pageSize = 10;

const Differences = Type.Array(
  named(
    'Difference',
    'A difference between two versions.',
    closedObject({
      path: Type.String({ description: 'The member, with dots between nested names.' }),
      before: Type.Optional(
        Type.Unsafe({ description: 'Its value in the version `from`. Left out if that version does not have it.' }),
      ),
      after: Type.Optional(
        Type.Unsafe({ description: 'Its value in the version `to`. Left out if that version does not have it.' }),
      ),
    }),
  ),
);

const Refusal = named(
  'PreviewedError',
  'The error that a request would get.',
  closedObject({
    status: Type.Integer({ description: 'The HTTP status.' }),
    type: Type.String({ description: 'The type of the error.' }),
    code: Type.String({ description: 'The code of the error.' }),
    param: nullable(Type.String({ description: 'The invalid parameter. Null if the error is not about one.' })),
    message: Type.String({ description: 'What would fail, and what to do.' }),
  }),
);

/** The schema of the response. */
export const UpgradePreview = closedObject({
  object: Type.Literal('api_version_preview', { description: 'The kind of the object.' }),
  from: Type.String({ description: 'The account’s version.' }),
  to: Type.String({ description: 'The version to compare with.' }),
  changelog: Type.Array(
    closedObject({
      id: Type.String({ description: 'The date of a version.' }),
      changelog: Type.String({ description: 'The changes in this version.' }),
    }),
    { description: 'The changes between the two versions, the newest first.' },
  ),
  requests: lookedAt(
    {
      id: Type.String({ description: 'The id of the request, and of its log.' }),
      method: Type.String({ description: 'The HTTP method.' }),
      path: Type.String({ description: 'The path.' }),
      status: Type.Integer({ description: 'The HTTP status of its response.' }),
      request_body: described(Differences, 'How its body must change.'),
      refused: described(nullable(Refusal), 'The error that the same request would get. Null if it would be accepted.'),
      response_body: described(Differences, 'How its response would differ.'),
    },
    'The last logged requests. Requests with `Service-Version` are left out, because an upgrade does not affect them.',
  ),
  events: lookedAt(
    {
      id: Type.String({ description: 'The id of the event.' }),
      type: Type.String({ description: 'Its type.' }),
      differences: described(Differences, 'How the event would differ.'),
    },
    'The last events.',
  ),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

function lookedAt(properties: Record<string, TSchema>, description: string): TSchema {
  return described(
    closedObject({
      looked_at: Type.Integer({ description: 'How many were compared.' }),
      different: Type.Integer({ description: 'How many of them would differ.' }),
      data: Type.Array(closedObject(properties), { description: 'Those that would differ, the newest first.' }),
    }),
    description,
  );
}

/** An example for the API docs. */
export const upgradePreviewExample = {
  object: 'api_version_preview',
  from: '2026-03-01',
  to: '2026-11-01',
  changelog: [],
  requests: { looked_at: 2, different: 0, data: [] },
  events: {
    looked_at: 6,
    different: 1,
    data: [
      {
        id: 'evt_0VbZr1fe01dQ7fXkTn4Lb6',
        type: 'customer.updated',
        differences: [
          {
            path: 'request',
            before: 'req_0VbZr1fe00aP3dYhWq7Kc2',
            after: {
              id: 'req_0VbZr1fe00aP3dYhWq7Kc2',
              idempotency_key: null,
              from_dashboard: false,
              customer_portal: false,
              actor: null,
            },
          },
        ],
      },
    ],
  },
};

/** A route whose requests can be previewed. */
export interface PreviewedRoute {
  route: WriteRoute;
  /** Matches the paths of its requests. */
  pattern: RegExp;
  /** Checks the bodies of its requests. */
  validate: VersionedValidator;
}

/**
 * Returns the last requests and events of the account acted upon that would differ after an upgrade of the key's own account. Leaves out
 * requests that the upgrade does not affect. These are requests of other accounts' keys, and those answered in another version.
 *
 * @param to the other version. It is the latest if left out.
 */
export async function previewUpgrade(
  context: HttpContext,
  routes: readonly PreviewedRoute[],
  request: ApiRequest,
  to = request.versionsServed[0],
): Promise<JsonObject> {
  if (!request.versionsServed.includes(to)) {
    throw invalidParameter('to', `\`to\` must be a version of this API: ${request.versionsServed.join(', ')}.`);
  }
  const { versions } = context;
  const ownAccountId = request.principal.accountId;
  // A person can ask before the first request of a key, which pins the account.
  const from = (await context.accounts.get(ownAccountId))!.apiVersion ?? request.versionsServed[0];
  const requests = await lookAtLast(context, request, 'log', async (record) => {
    const log = record as LogRecord;
    if (log.api_version !== from || !(await isKeyOf(context, ownAccountId, log.key_id))) return null;
    return requestIn(context, request, routes, log, to);
  });
  const rendered = await lookAtLast(context, request, 'event', async (event) =>
    eventIn(context, event as EventRecord, from, to),
  );
  return {
    object: 'api_version_preview',
    from,
    to,
    changelog: versions.all
      .filter(({ date }) => (date > from && date <= to) || (date > to && date <= from))
      .map(({ date, sentence }) => ({ id: date, changelog: sentence })),
    requests: report(requests),
    events: report(rendered),
    ...(request.hasServiceContext && { account: request.accountId }),
  };
}

type LogRecord = StoredRecord & {
  method: string;
  url: string;
  path: string;
  status: number;
  key_id: string | null;
  api_version: string;
  request_body: string | null;
  response_body: string;
};

type EventRecord = StoredRecord & { type: string; shape_version: string };

/** Compares the last records of a kind, the newest first. Yields to other requests between two records. */
async function lookAtLast(
  context: HttpContext,
  request: ApiRequest,
  object: string,
  look: (record: StoredRecord) => Promise<JsonObject | null>,
): Promise<(JsonObject | null)[]> {
  const resource = findKnown(context.resources, (candidate) => candidate.object === object);
  const memory = request.memory!;
  const looks: (JsonObject | null)[] = [];
  for (let last: string | null = null, more = true; more && looks.length < lookedAtMax;) {
    const { records, bytes, hasMore } = await loadPage(
      context,
      resource,
      {
        accountId: request.accountId,
        filters: [],
        without: hiddenFrom(context, resource, request.principal),
        created: {},
        limit: pageSize,
        offset: 0,
        cursor: last === null ? null : { direction: 'after', id: last },
      },
      request,
    );
    for (const record of records) {
      const seen = await look(record);
      if (seen) memory.use(JSON.stringify(seen).length);
      looks.push(seen);
      await nextTurn();
    }
    memory.giveBack(bytes);
    last = records.at(-1)?.id ?? null;
    more = hasMore;
  }
  return looks;
}

async function isKeyOf(
  { resources, readRecord }: HttpContext,
  accountId: string,
  keyId: string | null,
): Promise<boolean> {
  const apiKey = findKnown(resources, ({ object }) => object === 'api_key');
  return keyId !== null && (await readRecord(apiKey, accountId, keyId)) !== null;
}

/** Returns the number of compared records, the number of different ones, and those. */
function report(looks: (JsonObject | null)[]): JsonObject {
  const different = looks.filter((look) => look !== null);
  return { looked_at: looks.length, different: different.length, data: different };
}

/** Returns the differences of a request's body and response, and its refusal if it were sent unchanged. Null if all is the same. */
function requestIn(
  context: HttpContext,
  request: ApiRequest,
  routes: readonly PreviewedRoute[],
  log: LogRecord,
  to: string,
): JsonObject | null {
  const { versions } = context;
  const { id, method, path, status, api_version: from } = log;
  const previewed = routes.find(({ route, pattern }) => route.method === method && pattern.test(path));
  if (!previewed) return null;
  const { object } = previewed.route;
  // A refused request has no valid body to convert, and would not be worse off.
  const sent = status === 200 ? objectOf(log.request_body) : null;
  const oldBody = objectOf(log.response_body);
  const requestBody = sent ? differencesOf(sent, versions.convertBody(object, sent, from, to)) : [];
  const responseBody = oldBody ? differencesOf(oldBody, bodyIn(versions, object, oldBody, from, to)) : [];
  // A body that was removed with an erased person cannot be checked.
  const isTold = log.request_body !== null || !previewed.route.body.required?.length;
  const refused = status === 200 && isTold ? refusalIn(context, request, previewed, log, sent ?? {}, to) : null;
  if (requestBody.length === 0 && responseBody.length === 0 && !refused) return null;
  return { id, method, path, status, request_body: requestBody, refused, response_body: responseBody };
}

function bodyIn(versions: ApiVersions, object: string, answer: JsonObject, from: string, to: string): JsonObject {
  const { error } = answer;
  if (!isObject(error)) return versions.convert(answer, from, to);
  const inWantedVersion = (fault: Json): Json =>
    isObject(fault) && typeof fault.param === 'string'
      ? { ...fault, param: versions.convertName(object, fault.param, from, to) }
      : fault;
  return {
    error: inWantedVersion(
      Array.isArray(error.errors) ? { ...error, errors: error.errors.map(inWantedVersion) } : error,
    ),
  };
}

/** Returns the error of an unchanged request in the other version, or null. */
function refusalIn(
  context: HttpContext,
  request: ApiRequest,
  { route, validate }: PreviewedRoute,
  { url }: LogRecord,
  body: JsonObject,
  to: string,
): JsonObject | null {
  try {
    readExpansion(context, { ...request, version: to }, route.expandable, readQuery(url).expand);
    validate(to, body);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The permissions are those of the current key, not of the key that sent the request.
    if (error.code === 'permission_denied') return null;
    const { status, type, code, param, message } = error;
    return { status, type, code, param: param ?? null, message };
  }
}

/** Returns the differences of an event, as `GET /v1/events/{id}` shows it. Ignores `api_version`, which always differs. */
function eventIn(
  { versions, resources }: HttpContext,
  record: EventRecord,
  from: string,
  to: string,
): JsonObject | null {
  const resource = findKnown(resources, ({ object }) => object === 'event');
  const event = renderRecord(resource, record, { nowSeconds: record.created, realSeconds: record.created });
  const shape = record.shape_version;
  const differences: Difference[] = differencesOf(
    versions.convert(event, shape, from),
    versions.convert(event, shape, to),
  );
  return differences.length === 0 ? null : { id: record.id, type: record.type, differences };
}

/** Parses a stored body. Returns null if it is not a JSON object. */
function objectOf(text: string | null): JsonObject | null {
  if (text === null) return null;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  return isObject(value) ? value : null;
}
