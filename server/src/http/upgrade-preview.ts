import { renderRecord } from '../core/change.ts';
import { differencesOf, type Difference, type Json, type JsonObject } from '../core/diff.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import type { StoredRecord } from '../core/resource.ts';
import { readList } from '../db/lists.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { Call, HttpContext } from './call.ts';
import type { Route } from './routes.ts';
import type { VersionedValidator } from './input.ts';

/** So many of each are looked at. */
const lookedAtMax = 100;

/**
 * Which of the account's last requests and events would look different if it changed its version, and how. Requests that named a
 * version of their own would not: a change of the account's does not reach them.
 *
 * @param validators what is tried for the bodies that were sent.
 * @param to the latest version unless it is told.
 */
export async function previewUpgrade(
  context: HttpContext,
  validators: RouteValidators,
  call: Call,
  to = call.versionsServed[0]!,
): Promise<JsonObject> {
  if (!call.versionsServed.includes(to)) {
    throw invalidParameter('to', `\`to\` must be a version of this API: ${call.versionsServed.join(', ')}.`);
  }
  const { versions } = context;
  const from = call.account!.apiVersion;
  const [logs, events] = await Promise.all(['log', 'event'].map((object) => readLast(context, object, call.accountId)));
  const requests = logs!.map((log) => requestIn(versions, validators, log as LogRecord, from, to));
  const rendered = events!.map((event) => eventIn(context, event as EventRecord, from, to));
  return {
    object: 'api_version_preview',
    from,
    to,
    changelog: versions.all
      .filter(({ date }) => (date > from && date <= to) || (date > to && date <= from))
      .map(({ date, sentence }) => ({ id: date, changelog: sentence })),
    requests: report(requests),
    events: report(rendered),
    ...(call.withContext && { account: call.accountId }),
  };
}

/** What refuses the bodies of each route. */
type RouteValidators = ReadonlyMap<Route, VersionedValidator>;

type LogRecord = StoredRecord & {
  method: string;
  path: string;
  status: number;
  api_version: string;
  request_body: string | null;
  response_body: string;
};

type EventRecord = StoredRecord & { type: string; shape_version: string };

async function readLast(
  { resources, lister }: HttpContext,
  object: string,
  accountId: string,
): Promise<StoredRecord[]> {
  const resource = resources.find((candidate) => candidate.object === object)!;
  const everything = { filters: [], created: {}, offset: 0, cursor: null };
  return (await readList(lister, resource, { accountId, limit: lookedAtMax, ...everything })).records;
}

/** How many were looked at, how many are different, and those. */
function report(looks: (JsonObject | null)[]): JsonObject {
  const different = looks.filter((look) => look !== null);
  return { looked_at: looks.length, different: different.length, data: different };
}

/** What a request would have to send, whether it would be refused if it did not, and what it would get. Null if all is the same. */
function requestIn(
  versions: ApiVersions,
  validators: RouteValidators,
  log: LogRecord,
  from: string,
  to: string,
): JsonObject | null {
  const route = [...validators.keys()].find(
    ({ method, path }) => method === log.method && patternOf(path).test(log.path),
  );
  if (!route || log.api_version !== from) return null;
  const { object } = route;
  const sent = objectOf(log.request_body);
  const answered = objectOf(log.response_body);
  const requestBody = sent ? differencesOf(sent, versions.convertBody(object, sent, from, to)) : [];
  const responseBody = answered ? differencesOf(answered, answerIn(versions, object, answered, from, to)) : [];
  // One that was refused already is no worse off.
  const refusal = sent && log.status === 200 ? refusalIn(() => validators.get(route)!(to, sent)) : null;
  if (requestBody.length === 0 && responseBody.length === 0 && !refusal) return null;
  const { id, method, path, status } = log;
  return { id, method, path, status, request_body: requestBody, refused: refusal, response_body: responseBody };
}

function answerIn(versions: ApiVersions, object: string, answer: JsonObject, from: string, to: string): JsonObject {
  const { error } = answer as { error?: JsonObject };
  if (!error) return versions.convert(answer, from, to);
  if (typeof error.param !== 'string') return answer;
  return { error: { ...error, param: versions.convertName(object, error.param, from, to) } };
}

/** What the other version would say to the body as it was sent; null if nothing. */
function refusalIn(validate: () => void): JsonObject | null {
  try {
    validate();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
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

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(':id', '[^/]+')}$`);
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
