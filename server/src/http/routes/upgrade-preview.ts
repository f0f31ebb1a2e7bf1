import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderRecord } from '../../model/change.ts';
import { differencesOf, type Difference, type Json, type JsonObject } from '../../core/json-diff.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { Type, type TSchema } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { readExpansion } from '../response/expand.ts';
import type { VersionedValidator } from '../body/input.ts';
import { loadPage } from './load.ts';
import { queryReader } from '../body/query.ts';
import type { WriteRoute } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';

/** Of a request that changes something: it has no parameters but `expand`. */
const readQuery = queryReader({});

/** So many of each are looked at, a few at a time: they can be large. */
const lookedAtMax = 100;
const pageSize = 10;

const Differences = Type.Array(
  closedObject({
    path: Type.String({ description: 'The member, with dots between nested names.' }),
    before: Type.Optional(
      Type.Unsafe({ description: 'Its value in the version `from`; left out if it is not there.' }),
    ),
    after: Type.Optional(Type.Unsafe({ description: 'Its value in the version `to`; left out if it is not there.' })),
  }),
);

const Refusal = closedObject({
  status: Type.Integer({ description: 'The HTTP status.' }),
  type: Type.String({ description: 'The class of the error.' }),
  code: Type.String({ description: 'What would be wrong.' }),
  param: nullable(Type.String({ description: 'The parameter at fault; null if it is none.' })),
  message: Type.String({ description: 'What to change.' }),
});

/** What is answered. */
export const UpgradePreview = closedObject({
  object: described(oneOf('api_version_preview'), 'What kind of object it is.'),
  from: Type.String({ description: 'The version that the account has.' }),
  to: Type.String({ description: 'The version it is compared with.' }),
  changelog: Type.Array(
    closedObject({
      id: Type.String({ description: 'The date of a version.' }),
      changelog: Type.String({ description: 'What changed with it.' }),
    }),
    { description: 'What changed between the two, the newest version first.' },
  ),
  requests: lookedAt(
    {
      id: Type.String({ description: 'The id of the request, and of its log.' }),
      method: Type.String({ description: 'The HTTP method.' }),
      path: Type.String({ description: 'The path.' }),
      status: Type.Integer({ description: 'What it was answered.' }),
      request_body: described(Differences, 'What it would have to send instead.'),
      refused: described(
        nullable(Refusal),
        'What it would be answered if it sent the same; null if it would be accepted.',
      ),
      response_body: described(Differences, 'What would be different in its answer.'),
    },
    'The last requests that were logged. Those that name a version themselves are not reached by an upgrade, and are left out.',
  ),
  events: lookedAt(
    {
      id: Type.String({ description: 'The id of the event.' }),
      type: Type.String({ description: 'Its type.' }),
      differences: described(Differences, 'What would be different in it.'),
    },
    'The last events.',
  ),
  account: Type.Optional(
    Type.String({ description: 'The account that was looked at, if `Service-Context` named it.' }),
  ),
});

function lookedAt(properties: Record<string, TSchema>, description: string): TSchema {
  return described(
    closedObject({
      looked_at: Type.Integer({ description: 'How many were looked at.' }),
      different: Type.Integer({ description: 'How many of them would be different.' }),
      data: Type.Array(closedObject(properties), { description: 'Those, the newest first.' }),
    }),
    description,
  );
}

/** One of it, for the reference. */
export const upgradePreviewExample: JsonObject = {
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
  /** Of the paths of its requests. */
  pattern: RegExp;
  /** Refuses the bodies of its requests. */
  validate: VersionedValidator;
}

/**
 * Which of the last requests and events of the account acted upon would look different if the key's own account changed its version,
 * and how. What that does not reach is left out: requests of other accounts' keys, and those that were answered in another version
 * than the account's.
 *
 * @param to the latest version unless it is told.
 */
export async function previewUpgrade(
  context: HttpContext,
  routes: readonly PreviewedRoute[],
  request: ApiRequest,
  to = request.versionsServed[0]!,
): Promise<JsonObject> {
  if (!request.versionsServed.includes(to)) {
    throw invalidParameter('to', `\`to\` must be a version of this API: ${request.versionsServed.join(', ')}.`);
  }
  const { versions } = context;
  const ownAccountId = request.principal.accountId;
  const from = (await context.accounts.get(ownAccountId))!.apiVersion!;
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
    ...(request.withContext && { account: request.accountId }),
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

/** Looks at the last records of a kind, the newest first. Other requests have their turn between two of them. */
async function lookAtLast(
  context: HttpContext,
  request: ApiRequest,
  object: string,
  look: (record: StoredRecord) => Promise<JsonObject | null>,
): Promise<(JsonObject | null)[]> {
  const resource = context.resources.find((candidate) => candidate.object === object)!;
  const room = request.room!;
  const looks: (JsonObject | null)[] = [];
  for (let last: string | null = null, more = true; more && looks.length < lookedAtMax;) {
    const { records, bytes, hasMore } = await loadPage(
      context,
      resource,
      {
        accountId: request.accountId,
        filters: [],
        created: {},
        limit: pageSize,
        offset: 0,
        cursor: last === null ? null : { direction: 'after', id: last },
      },
      request,
    );
    for (const record of records) {
      const seen = await look(record);
      if (seen) room.use(JSON.stringify(seen).length);
      looks.push(seen);
      await nextTurn();
    }
    room.giveBack(bytes);
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
  const apiKey = resources.find(({ object }) => object === 'api_key')!;
  return keyId !== null && (await readRecord(apiKey, accountId, keyId)) !== null;
}

/** How many were looked at, how many are different, and those. */
function report(looks: (JsonObject | null)[]): JsonObject {
  const different = looks.filter((look) => look !== null);
  return { looked_at: looks.length, different: different.length, data: different };
}

/** What a request would have to send, whether it would be refused if it did not, and what it would get. Null if all is the same. */
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
  // One that was refused is no worse off, and what it sent may have been anything.
  const sent = status === 200 ? objectOf(log.request_body) : null;
  const answered = objectOf(log.response_body);
  const requestBody = sent ? differencesOf(sent, versions.convertBody(object, sent, from, to)) : [];
  const responseBody = answered ? differencesOf(answered, answerIn(versions, object, answered, from, to)) : [];
  // A body that is there no more, because the person whom it was about was erased, tells nothing.
  const isTold = log.request_body !== null || ((previewed.route.body.required ?? []) as string[]).length === 0;
  const refused = status === 200 && isTold ? refusalIn(context, request, previewed, log, sent ?? {}, to) : null;
  if (requestBody.length === 0 && responseBody.length === 0 && !refused) return null;
  return { id, method, path, status, request_body: requestBody, refused, response_body: responseBody };
}

function answerIn(versions: ApiVersions, object: string, answer: JsonObject, from: string, to: string): JsonObject {
  const { error } = answer as { error?: JsonObject };
  if (!error) return versions.convert(answer, from, to);
  if (typeof error.param !== 'string') return answer;
  return { error: { ...error, param: versions.convertName(object, error.param, from, to) } };
}

/** What the other version would say to the request as it was sent; null if nothing. */
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
    // Of the key that asks now, which is not the one that sent it.
    if (error.code === 'permission_denied') return null;
    const { status, type, code, param, message } = error;
    return { status, type, code, param: param ?? null, message };
  }
}

/** As `GET /v1/events/{id}` shows it, but for `api_version`, which is what was asked for. */
function eventIn(
  { versions, resources }: HttpContext,
  record: EventRecord,
  from: string,
  to: string,
): JsonObject | null {
  const resource = resources.find(({ object }) => object === 'event')!;
  const event = renderRecord(resource, record, record.created);
  const shape = record.shape_version;
  const differences: Difference[] = differencesOf(
    versions.convert(event, shape, from),
    versions.convert(event, shape, to),
  );
  return differences.length === 0 ? null : { id: record.id, type: record.type, differences };
}

/** What was sent or answered, if it was a JSON object. */
function objectOf(text: string | null): JsonObject | null {
  if (text === null) return null;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
