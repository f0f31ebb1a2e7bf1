import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, type Request } from '../crash-checker/api.ts';
import type { Answered } from '../crash-checker/history.ts';
import { parseObject, sameJson, textOf, type JsonObject } from '../crash-checker/json.ts';
import { isTemporary } from '../crash-checker/operations.ts';
import { readPages } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import type { FaultReport, FaultRun, FaultViolation, PlayOptions } from './fault-run.ts';
import { onOneServer, type Place } from './one-server.ts';
import { startRelay, type Relayed, type RelayedAnswer } from './relay.ts';

/** Cuts off responses after the commit. A retry with the key gets the same response, to the byte. */
export const answersCut: FaultRun = {
  name: 'answers cut',
  title: 'responses cut off at any byte after the commit, and requests retried with the key',
  unit: 'responses cut off',
  sizes: { ci: 50, gate: 200, full: 2_000 },
  play: (size, options) => onOneServer({}, options, (server) => cutAnswers(server, size, options)),
};

const clients = 8;

/** A key is in use while the request of the cut-off client runs. The pause before a retry, in milliseconds. */
const pauseMs = 1;
const attemptsMax = 1_000;

/** About the longest time of a request, in milliseconds. */
const runsMsMax = 5;

/** The kinds of requests, and the events of each. */
const eventsOf = {
  'make a reference': ['reference.created'],
  'complete a reference': ['reference.completed', 'reference.updated'],
  'cancel a reference': ['reference.canceled', 'reference.updated'],
  'make a customer': ['customer.created'],
  'make an endpoint': ['webhook_endpoint.created'],
} satisfies Record<string, string[]>;
type Kind = keyof typeof eventsOf;

/** The limit of an account. Cuts beyond it make a customer instead. */
const endpointsMax = 100;

/** The part of the exchange in which the connection is cut. */
type Where = 'answer' | 'request' | 'between';

interface Cut {
  key: string;
  kind: Kind;
  where: Where;
  /**
   * The share of the response that passes, from nothing to all but the last byte. For `between`, the share of the request's time that
   * passes.
   */
  share: number;
  /** As the server sent it. The client saw at most a part of it. */
  answer: RelayedAnswer | null;
  /** The response to the retry. */
  again: Answered | null;
}

/** Sends requests, cuts them off, retries, reads everything back and compares. */
export async function cutAnswers(place: Place, size: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const random = new Random(`answers cut, seed ${seed}`);
  const cuts = chooseCuts(random, size);
  const cutter = await startCutter(place.url, cuts);
  const near = new Api([place.url], place.secretKey);
  const far = new Api([cutter.url], place.secretKey);
  const violations: FaultViolation[] = [];
  let whole = 0;
  try {
    const left = cuts.entries();
    const runClient = async (): Promise<void> => {
      for (const [number, cut] of left) {
        const request = await requestOf(cut, near);
        const result = await far.send(request);
        if (result.kind === 'answered') whole++;
        cut.again = await sendUntilAnswered(near, request);
        violations.push(...judgeAnswer(cut));
        if (number > 0 && number % 500 === 0) print(`${number} of ${size} cut off`);
      }
    };
    await Promise.all(Array.from({ length: clients }, runClient));
    violations.push(...(await judgeRecords(near, cuts)), ...(await judgeEvents(near, cuts)));
    return { done: size - whole, counts: countsOf(cuts), violations };
  } finally {
    near.close();
    far.close();
    await cutter.stop();
  }
}

function chooseCuts(random: Random, size: number): Cut[] {
  const cuts = Array.from({ length: size }, (_, number) => chooseCut(random.fork(`cut ${number}`), number));
  const ofEndpoints = cuts.filter(({ kind }) => kind === 'make an endpoint');
  for (const cut of ofEndpoints.slice(endpointsMax)) cut.kind = 'make a customer';
  return cuts;
}

function chooseCut(random: Random, number: number): Cut {
  return {
    key: `cut ${number}`,
    kind: random.weighted({
      'make a reference': 4,
      'complete a reference': 3,
      'cancel a reference': 2,
      'make a customer': 2,
      'make an endpoint': 1,
    }),
    where: random.weighted({ answer: 8, between: 1, request: 1 }),
    share: random.chance(0.1) ? 0 : random.between(0, 9_999) / 10_000,
    answer: null,
    again: null,
  };
}

/** Starts a relay that cuts each request with a key as planned, and passes all others. */
function startCutter(target: string, cuts: readonly Cut[]): ReturnType<typeof startRelay> {
  const byKey = new Map(cuts.map((cut) => [cut.key, cut]));
  return startRelay(target, async (relayed, forward, client) => {
    const cut = byKey.get(String(relayed.headers['idempotency-key']));
    switch (cut?.where) {
      case undefined:
        return forward(relayed);
      case 'request':
        await sendPart(target, relayed);
        client.destroy();
        return null;
      case 'between':
        // The relay does not wait for the response, so that the retry meets the request while it runs.
        forward(relayed).catch(() => {});
        await sleep(cut.share * runsMsMax);
        client.destroy();
        return null;
      case 'answer': {
        cut.answer = await forward(relayed);
        const bytes = bytesOnTheWire(cut.answer);
        cutAfter(client, bytes.subarray(0, Math.floor(bytes.length * cut.share)));
        return null;
      }
    }
  });
}

function bytesOnTheWire({ status, headers, body }: RelayedAnswer): Buffer {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} OK\r\n${lines.join('')}\r\n`), body]);
}

function cutAfter(client: Socket, bytes: Buffer): void {
  if (bytes.length === 0) client.destroy();
  else client.write(bytes, () => client.destroy());
}

/** Sends a request without its last byte, so that it can never be executed. */
async function sendPart(target: string, { method, path, headers, body }: Relayed): Promise<void> {
  const { hostname, port } = new URL(target);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const bytes = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
  await new Promise<void>((resolve) => {
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.write(bytes.subarray(0, -1), () => socket.destroy());
    });
    socket.on('error', () => {}).on('close', () => resolve());
  });
}

/** Returns the request. Makes the reference first if the request changes one. */
async function requestOf({ key, kind }: Cut, api: Api): Promise<Request> {
  const metadata = { cut: key };
  const post = (path: string, body: JsonObject | null): Request => ({ method: 'POST', path, body, key });
  switch (kind) {
    case 'make a reference':
      return post('/v1/references', { application: 'app_1', metadata });
    case 'complete a reference':
      // With a report of its own, so that the server makes none and changes nothing afterwards.
      return post(`/v1/references/${await makeReference(api, key)}`, { outcome: 'accept', reference_pdf: 'report_1' });
    case 'cancel a reference':
      return post(`/v1/references/${await makeReference(api, key)}/cancel`, null);
    case 'make a customer':
      return post('/v1/customers', { name: 'Ada Tenant', metadata });
    case 'make an endpoint':
      // No event is ever sent there.
      return post('/v1/webhook_endpoints', {
        url: 'http://127.0.0.1:9/hook',
        enabled_events: ['webhook_endpoint.pinged'],
        metadata,
      });
  }
}

async function makeReference(api: Api, key: string): Promise<string> {
  const body = { application: 'app_1', metadata: { cut: key } };
  const made = await api.send({ method: 'POST', path: '/v1/references', body, key: `for ${key}` });
  if (made.kind === 'answered' && made.status === 200) return textOf(parseObject(made.text) ?? undefined, 'id');
  throw new Error(`Could not make a reference before the cut: ${JSON.stringify(made)}`);
}

async function sendUntilAnswered(api: Api, request: Request): Promise<Answered | null> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const result = await api.send(request);
    if (result.kind === 'unanswered') return null;
    if (!isTemporary(result)) return result;
    await sleep(pauseMs);
  }
  return null;
}

/** Expects the retry to get the response that was cut off. If the request never reached the server whole, expects an execution now. */
function judgeAnswer(cut: Cut): FaultViolation[] {
  const { key, kind, where, answer, again } = cut;
  const found = (rule: string, message: string): FaultViolation[] => [{ rule, about: `${key}: ${kind}`, message }];
  if (again?.status !== 200) return found('never_answered', `The retry got ${JSON.stringify(again)}.`);
  if (where === 'request') {
    return again.replayed ? found('wrong_replay', 'The server executed a request without its last byte.') : [];
  }
  if (!answer) return [];
  if (!again.replayed)
    return found(
      'two_effects',
      `The server executed the retry. The response that was cut off is ${answer.body.toString()}`,
    );
  const was = [
    answer.status,
    headerOf(answer, 'service-version'),
    headerOf(answer, 'request-id'),
    answer.body.toString(),
  ];
  const is = [again.status, again.version, again.originalRequest, again.text];
  return sameJson(was, is)
    ? []
    : found(
        'wrong_replay',
        `The response that was cut off is ${JSON.stringify(was)}, but the replay is ${JSON.stringify(is)}.`,
      );
}

/** Expects one record for each request, equal to its response, with the same secret for an endpoint. */
async function judgeRecords(api: Api, cuts: readonly Cut[]): Promise<FaultViolation[]> {
  const violations: FaultViolation[] = [];
  const byKey = new Map(cuts.map((cut) => [cut.key, cut]));
  const seen = new Set<string>();
  for (const list of ['references', 'customers', 'webhook_endpoints']) {
    for await (const { items } of readPages(api, `/v1/${list}`)) {
      for (const listed of items) {
        const cut = byKey.get(textOf(listed, 'metadata', 'cut'));
        const answered = cut?.again && parseObject(cut.again.text);
        const about = cut ? `${cut.key}: ${cut.kind}` : textOf(listed, 'id');
        const id = textOf(listed, 'id');
        const shown = list === 'webhook_endpoints' ? await api.read(`/v1/webhook_endpoints/${id}`) : listed;
        if (seen.has(about)) {
          violations.push({ rule: 'duplicated_record', about, message: `${id} is not its only record.` });
        } else if (!answered || !sameJson(shown, answered)) {
          const message = `The response is ${cut?.again?.text ?? 'missing'}, but the API shows ${JSON.stringify(shown)}.`;
          violations.push({ rule: 'wrong_effect', about, message });
        }
        seen.add(about);
      }
    }
  }
  for (const { key, kind } of cuts) {
    const about = `${key}: ${kind}`;
    if (!seen.has(about)) violations.push({ rule: 'lost_record', about, message: 'Its record is not listed.' });
  }
  return violations;
}

/** Expects the events of each request once, with the id of the request that was executed. */
async function judgeEvents(api: Api, cuts: readonly Cut[]): Promise<FaultViolation[]> {
  const told = new Map<string, string[]>();
  for await (const { items } of readPages(api, '/v1/events')) {
    for (const event of items) {
      const key = textOf(event, 'request', 'idempotency_key');
      const text = `${textOf(event, 'type')} by ${textOf(event, 'request', 'id')}`;
      told.set(key, [...(told.get(key) ?? []), text].sort());
    }
  }
  return cuts.flatMap(({ key, kind, again }) => {
    const requestId = again?.originalRequest ?? again?.requestId;
    const expected = eventsOf[kind].map((type) => `${type} by ${requestId}`);
    const found = told.get(key) ?? [];
    if (sameJson(found, expected)) return [];
    const rule = found.length > expected.length ? 'duplicated_event' : 'lost_event';
    const message = `Its events are ${found.join(', ') || 'none'}; expected ${expected.join(', ')}.`;
    return [{ rule, about: `${key}: ${kind}`, message }];
  });
}

function countsOf(cuts: readonly Cut[]): Record<string, number> {
  const count = (which: (cut: Cut) => boolean): number => cuts.filter(which).length;
  return {
    replays: count(({ again }) => again?.replayed === true),
    'cut off before the first byte of the response': count(({ answer, share }) => answer !== null && share === 0),
    'cut off within the response': count(({ answer, share }) => answer !== null && share > 0),
    'cut off while the request ran': count(({ where }) => where === 'between'),
    'cut off within the request': count(({ where }) => where === 'request'),
    'secrets cut off': count(({ answer, kind }) => answer !== null && kind === 'make an endpoint'),
  };
}

function headerOf({ headers }: RelayedAnswer, name: string): string {
  return headers[headers.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name) + 1]!;
}
