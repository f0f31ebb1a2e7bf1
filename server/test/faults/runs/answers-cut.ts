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

/** Answers that are cut off after the commit. Whoever asks again with the key gets what they would have got, to the byte. */
export const answersCut: FaultRun = {
  name: 'answers cut',
  title: 'answers cut off at any byte after the commit, and asked for again with the key',
  unit: 'answers cut off',
  sizes: { ci: 50, gate: 200, full: 2_000 },
  play: (size, options) => onOneServer({}, options, (server) => cutAnswers(server, size, options)),
};

const clients = 8;

/** A key is in use as long as the request runs whose client is gone. */
const pauseMs = 1;
const attemptsMax = 1_000;

/** So long a request takes, more or less. */
const runsMsMax = 5;

/** What a request does, and which events tell of it. */
const eventsOf = {
  'make a reference': ['reference.created'],
  'complete a reference': ['reference.completed', 'reference.updated'],
  'cancel a reference': ['reference.canceled', 'reference.updated'],
  'make a customer': ['customer.created'],
  'make an endpoint': ['webhook_endpoint.created'],
} satisfies Record<string, string[]>;
type Kind = keyof typeof eventsOf;

/** An account has no more: whoever would make another one makes a customer. */
const endpointsMax = 100;

/** Where the connection is cut. */
type Where = 'answer' | 'request' | 'between';

interface Cut {
  key: string;
  kind: Kind;
  where: Where;
  /** Of the answer, so much gets through: from nothing to all but the last byte. Of the time that a request runs, so much passes. */
  share: number;
  /** As the server gave it; the client saw a part of it at most. */
  answer: RelayedAnswer | null;
  /** What the client got when it asked again. */
  again: Answered | null;
}

/** Sends requests, cuts them off, asks again, reads everything back and compares. */
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

/** A relay that treats each request with a key as its cut says; all others pass. */
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
        // Nobody waits for the answer, so that whoever asks again meets the request while it runs.
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

/** Sends a request without its last byte, so that it can never be carried out. */
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

/** What is sent; a reference that is to be changed is made before. */
async function requestOf({ key, kind }: Cut, api: Api): Promise<Request> {
  const metadata = { cut: key };
  const post = (path: string, body: JsonObject | null): Request => ({ method: 'POST', path, body, key });
  switch (kind) {
    case 'make a reference':
      return post('/v1/references', { application: 'app_1', metadata });
    case 'complete a reference':
      return post(`/v1/references/${await makeReference(api, key)}`, { outcome: 'accept' });
    case 'cancel a reference':
      return post(`/v1/references/${await makeReference(api, key)}/cancel`, null);
    case 'make a customer':
      return post('/v1/customers', { name: 'Ada Tenant', metadata });
    case 'make an endpoint':
      // Nothing is ever sent there.
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
  throw new Error(`A reference could not be made before anything was cut: ${JSON.stringify(made)}`);
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

/** Whoever asks again gets what was cut off; what never reached the server whole is carried out now. */
function judgeAnswer(cut: Cut): FaultViolation[] {
  const { key, kind, where, answer, again } = cut;
  const found = (rule: string, message: string): FaultViolation[] => [{ rule, about: `${key}: ${kind}`, message }];
  if (again?.status !== 200) return found('never_answered', `Asked again, it was answered ${JSON.stringify(again)}.`);
  if (where === 'request') {
    return again.replayed ? found('wrong_replay', 'It was carried out although its last byte never came.') : [];
  }
  if (!answer) return [];
  if (!again.replayed) return found('two_effects', `It was carried out again; cut off was ${answer.body.toString()}`);
  const was = [
    answer.status,
    headerOf(answer, 'service-version'),
    headerOf(answer, 'request-id'),
    answer.body.toString(),
  ];
  const is = [again.status, again.version, again.originalRequest, again.text];
  return sameJson(was, is)
    ? []
    : found('wrong_replay', `Cut off was ${JSON.stringify(was)}, and the replay is ${JSON.stringify(is)}.`);
}

/** Each request has its one record, and it is what was answered; an endpoint's secret is the one that was told. */
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
          violations.push({ rule: 'duplicated_record', about, message: `${id} is not the only one.` });
        } else if (!answered || !sameJson(shown, answered)) {
          const message = `${cut?.again?.text ?? 'Nothing'} was answered, but there is ${JSON.stringify(shown)}.`;
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

/** Each request has its events once, and they name the request that was carried out. */
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
    'cut off before the first byte of the answer': count(({ answer, share }) => answer !== null && share === 0),
    'cut off within the answer': count(({ answer, share }) => answer !== null && share > 0),
    'cut off while the request ran': count(({ where }) => where === 'between'),
    'cut off within the request': count(({ where }) => where === 'request'),
    'secrets cut off': count(({ answer, kind }) => answer !== null && kind === 'make an endpoint'),
  };
}

function headerOf({ headers }: RelayedAnswer, name: string): string {
  return headers[headers.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name) + 1]!;
}
