import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { serverForTest, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { addAccount } from '../../server/test/support/tenants.ts';
import { ApiError, EventStream, InvalidRequestError, Tenure, TenureError, type Event } from '../src/index.ts';
import { SseParser } from '../src/sse-parser.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { errorBody, errorOf, fakeTimersOfSdk, httpServer, scripted, testKey, type Step } from './scripted.ts';
import { waitMs } from '../../server/test/support/wait.ts';

/** Returns the ids of the next events. */
async function take(stream: AsyncIterable<Event>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of stream) if (ids.push(id) === count) break;
  return ids;
}

const eventBlock = (id: string, text = ''): string => `id: ${id}\ndata: ${JSON.stringify({ id, text })}\n\n`;

/** Returns one block of the recorded stream: an event, a position alone, or an event with other line ends. */
function blockOf(id: string, index: number): string {
  return index === 3
    ? `:\nid: ${id}\n\n`
    : index === 4
      ? `id: ${id}\r\ndata: {"id":"${id}",\r\ndata: "x":"🏠"}\r\n\r\n`
      : eventBlock(id, 'Ł🏠');
}

/** A connection that ends after this text. */
const streamed = (text: string): Step => ({ headers: { 'content-type': 'text/event-stream' }, body: text });

/** A connection that stays open after a comment. */
const silent: Step = async () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(':\n\n')) }), {
    headers: { 'content-type': 'text/event-stream' },
  });

/** Returns the seconds between connections, until an event comes. The clock is fake. */
async function gapsOf(steps: Step[]): Promise<number[]> {
  const { tenure, sent } = scripted([...steps, streamed(eventBlock('evt_1'))]);
  const waiting = tenure.events.stream().next();
  await errorOf(waiting);
  expect(await waiting).toMatchObject({ done: false });
  return sent.slice(1).map(({ atMs }, index) => (atMs - sent[index]!.atMs) / 1000);
}

/** Starts a server that sends these texts, one on each connection, and holds the last connection open. */
async function streamServer(texts: string[]): Promise<{ tenure: Tenure; positions: (string | undefined)[] }> {
  const positions: (string | undefined)[] = [];
  const { url } = await httpServer((request, response) => {
    positions.push(request.headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 1\n\n${texts[positions.length - 1] ?? ''}`);
    if (positions.length < texts.length) response.end();
  });
  return { tenure: new Tenure({ apiKey: testKey, baseUrl: url }), positions };
}

describe('against a server', () => {
  let server: TestServer;
  let tenure: Tenure;
  beforeAll(async () => {
    server = await startTestServer({ overrides: { streamLimits: { heartbeatMs: 50 } } });
    tenure = new Tenure({ apiKey: server.secretKey, baseUrl: server.url });
  });
  afterAll(() => server.stop());

  /** Makes references, each with one event. Returns the ids of the events in their order. */
  async function makeEvents(count: number): Promise<string[]> {
    const references: string[] = [];
    for (let made = 0; made < count; made++)
      references.push((await tenure.references.create({ application: 'app_1' })).id);
    const events = await tenure.events.list({ type: 'reference.created' }).toArray({ limit: count });
    expect(events.map(({ data }) => data.object.id).reverse()).toEqual(references);
    return events.map(({ id }) => id).reverse();
  }

  test('gives events as they are committed, and those after a position', async () => {
    const [first] = await makeEvents(1);
    const stream = tenure.events.stream({ type: 'reference.*', after: first });
    expect(stream).toBeInstanceOf(EventStream);
    expect(stream.lastEventId).toBe(first);
    const later = await makeEvents(3);
    expect(await take(stream, 3)).toEqual(later);
    expect(stream.lastEventId).toBe(later[1]);
  });

  test('moves on by the comments when its filter leaves out all events', async () => {
    const [first, second] = await makeEvents(2);
    const stream = tenure.events.stream({ type: 'customer.*', after: first });
    const waiting = stream.next();
    await vi.waitFor(() => expect(stream.lastEventId).toBe(second), waitMs);
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('gives each event once, in order, when its connection is cut 100 times', async () => {
    const [first] = await makeEvents(1);
    let connections = 0;
    // Most cuts are in the events, and some in the headers. The random part of the pauses would last for minutes.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const proxy = await startCuttingProxy(server.url, () => {
      connections++;
      if (connections > 130) return Number.POSITIVE_INFINITY;
      return connections % 20 === 0 ? 200 : 550 + ((connections * 131) % 2_000);
    });
    const cut = new Tenure({ apiKey: server.secretKey, baseUrl: proxy.url });
    const making = makeEvents(60);
    const taking = take(cut.events.stream({ type: 'reference.created', after: first }), 120);
    const made = [...(await making), ...(await makeEvents(60))];
    expect(await taking).toEqual(made);
    expect(proxy.cuts).toBeGreaterThan(100);
    vi.restoreAllMocks();
  });

  test.each(['with events', 'without events'])(
    'gives what happened while its first connection was away, in an account %s',
    async (kind) => {
      const own = await serverForTest();
      const { key } = await addAccount(own);
      const config = { apiKey: key, baseUrl: own.url };
      const writer = new Tenure(config);
      if (kind === 'with events') await writer.references.create({ application: 'app_1' });
      const missed: string[] = [];
      let connections = 0;
      const breaking = async (url: string, init: RequestInit): Promise<Response> => {
        const response = await fetch(url, init);
        if (++connections > 1) return response;
        const reader = response.body!.getReader();
        const { value } = await reader.read();
        await reader.cancel();
        for (let count = 0; count < 2; count++)
          missed.push((await writer.references.create({ application: 'app_1' })).id);
        return new Response(value as Uint8Array<ArrayBuffer>, response);
      };
      const stream = new Tenure({ ...config, fetch: breaking }).events.stream();
      const seen: string[] = [];
      // An earlier event may come, too, if the server had not settled it when the stream began.
      for await (const { data } of stream) {
        if (missed.includes(data.object.id)) seen.push(data.object.id);
        if (data.object.id === missed.at(-1)) break;
      }
      expect(seen).toEqual(missed);
    },
  );

  test('fails when the position is unknown, wrong or expired', async () => {
    for (const [after, code] of [
      [server.context.ids.make('evt'), 'resource_missing'],
      ['nonsense', 'parameter_invalid'],
      ['evt_0VbZr1fe00bS0eOQrul9Xp', 'event_cursor_expired'],
    ]) {
      await expect(tenure.events.stream({ after }).next()).rejects.toMatchObject({ code, param: 'after' });
    }
  });

  test('fails with 403 when the key may not read events', async () => {
    const { secret } = await tenure.apiKeys.create({ type: 'restricted', permissions: ['references.read'] });
    const restricted = new Tenure({ apiKey: secret, baseUrl: server.url });
    await expect(restricted.events.stream().next()).rejects.toMatchObject({ status: 403, code: 'permission_denied' });
  });

  test('fails with 401 when its key is revoked while it waits', async () => {
    const { id, secret } = await tenure.apiKeys.create({ type: 'restricted', permissions: ['events.read'] });
    const restricted = new Tenure({ apiKey: secret, baseUrl: server.url });
    // The stream may still send the event of the revocation itself.
    const types: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { type } of restricted.events.stream()) types.push(type);
    };
    const ended = reading();
    await tenure.apiKeys.delete(id);
    await expect(ended).rejects.toMatchObject({ status: 401, name: 'AuthenticationError' });
  });

  test('waits for a server that is not there yet', async () => {
    const own = await serverForTest();
    const proxied = new Tenure({ apiKey: own.secretKey, baseUrl: own.url });
    const { id } = await proxied.references.create({ application: 'app_1' });
    const [{ id: first } = { id: '' }] = await proxied.events.list().toArray({ limit: 1 });
    await proxied.references.cancel(id);
    let tries = 0;
    const fetch: typeof globalThis.fetch = (...given) => {
      if (tries++ < 2) throw new TypeError('fetch failed');
      return globalThis.fetch(...given);
    };
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const late = new Tenure({ apiKey: own.secretKey, baseUrl: own.url, fetch: (url, init) => fetch(url, init) });
    const { value } = await late.events.stream({ type: 'reference.canceled', after: first }).next();
    expect(value).toMatchObject({ data: { object: { id } } });
    vi.restoreAllMocks();
  });
});

test('gives each event once, in order, when a stream is cut at any byte', async () => {
  const ids = Array.from({ length: 6 }, (_, index) => `evt_${index}`);
  const recorded = Buffer.from(ids.map(blockOf).join(''));
  const given = ids.filter((_, index) => index !== 3);
  let cutAt = 0;
  let connections = 0;
  const { url } = await httpServer((request, response) => {
    const last = request.headers['last-event-id'] as string | undefined;
    const rest = Buffer.from(
      ids
        .map(blockOf)
        .slice(last === undefined ? 0 : ids.indexOf(last) + 1)
        .join(''),
    );
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 0\n\n');
    if (connections++ > 0) response.write(rest);
    else if (cutAt === 0) response.socket!.end();
    else response.write(recorded.subarray(0, cutAt), () => response.socket!.end());
  });
  const tenure = new Tenure({ apiKey: testKey, baseUrl: url });
  for (; cutAt <= recorded.length; cutAt++) {
    connections = 0;
    expect(await take(tenure.events.stream(), given.length), `cut at ${cutAt}`).toEqual(given);
  }
});

test('resumes after the last event that the loop has finished with', async () => {
  const { tenure, positions } = await streamServer([
    `${eventBlock('evt_1')}${eventBlock('evt_2')}:\nid: evt_3\n\n${eventBlock('evt_4').slice(0, -1)}`,
    eventBlock('evt_4'),
    '',
  ]);
  const stream = tenure.events.stream();
  const finished: (string | null)[] = [];
  for await (const { id } of stream) {
    finished.push(stream.lastEventId);
    if (id === 'evt_4') break;
  }
  expect(finished).toEqual([null, 'evt_1', 'evt_3']);
  expect(positions).toEqual([undefined, 'evt_3']);
  expect(stream.lastEventId).toBe('evt_3');
});

test('does not count an event as finished when the loop fails in it', async () => {
  const { tenure } = await streamServer([eventBlock('evt_1') + eventBlock('evt_2')]);
  const stream = tenure.events.stream();
  const looping = async (): Promise<void> => {
    for await (const { id } of stream) if (id === 'evt_2') throw new Error('no');
  };
  await expect(looping()).rejects.toThrow('no');
  expect(stream.lastEventId).toBe('evt_1');
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

test.each(['break', 'return', 'abort', 'abort while it works'])('closes the connection on %s', async (how) => {
  const closed = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<ServerResponse>();
  const { url } = await httpServer((_, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(eventBlock('evt_1'));
    opened.resolve(response);
  });
  const ending = new AbortController();
  const stream = new Tenure({ apiKey: testKey, baseUrl: url }).events.stream({}, { signal: ending.signal });
  if (how === 'break') expect(await take(stream, 1)).toEqual(['evt_1']);
  else {
    await stream.next();
    if (how === 'abort while it works') {
      ending.abort(new Error('enough'));
      await closed.promise;
      await expect(stream.next()).rejects.toThrow('enough');
    } else {
      const waiting = stream.next();
      await opened.promise;
      if (how === 'return') {
        await stream.return();
        expect(await waiting).toEqual({ done: true, value: undefined });
      } else {
        ending.abort(new Error('enough'));
        await expect(waiting).rejects.toThrow('enough');
      }
    }
  }
  await closed.promise;
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

test('asks for events one after the other when next is called several times at once', async () => {
  const { tenure } = await streamServer([eventBlock('evt_1') + eventBlock('evt_2')]);
  const stream = tenure.events.stream();
  const results = await Promise.all([stream.next(), stream.next()]);
  expect(results.map(({ value }) => value && value.id)).toEqual(['evt_1', 'evt_2']);
  await stream.return();
});

test.each([
  [{ headers: { 'content-type': 'text/html' }, body: '<html>' }, /text\/html instead of an event stream/],
  [{ headers: { 'content-type': 'text/event-stream' }, body: 'data: {"id"\n\n' }, /not JSON/],
])('fails when the response is no stream of events', async (step, message) => {
  const error: unknown = await scripted([step])
    .tenure.events.stream()
    .next()
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TenureError);
  expect(error).not.toBeInstanceOf(ApiError);
  expect(String(error)).toMatch(message);
});

test('refuses a wrong option or parameter', async () => {
  const { tenure, sent } = scripted([{}]);
  await expect(tenure.events.stream({}, { headers: { 'x-a': 'a\nb' } }).next()).rejects.toBeInstanceOf(TypeError);
  expect(() => tenure.events.stream('reference.*' as never)).toThrow(TypeError);
  expect(sent).toEqual([]);
});

describe('under a fake clock', () => {
  beforeEach(fakeTimersOfSdk);
  afterEach(() => void vi.restoreAllMocks());

  test('backs off while connections fail, up to a minute', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const refused = new TypeError('fetch failed');
    const down: Step = {
      status: 503,
      headers: { 'service-should-retry': 'true' },
      body: errorBody('api_error', 'overloaded'),
    };
    expect(await gapsOf([refused, refused, down, refused, { status: 502 }, refused, refused])).toEqual([
      2, 3, 5, 9, 17, 31, 31,
    ]);
  });

  test('begins anew to back off when a connection was of use', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const refused = new TypeError('fetch failed');
    expect(await gapsOf([refused, refused, streamed(':\nid: evt_0\n\n'), refused])).toEqual([2, 3, 2, 3]);
  });

  test('waits as the server says in retry and in Retry-After', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const limited: Step = {
      status: 429,
      headers: { 'retry-after': '20' },
      body: errorBody('rate_limit_error', 'rate_limit'),
    };
    expect(await gapsOf([streamed('retry: 5000\n\n'), limited, { status: 500 }])).toEqual([5, 20, 5]);
  });

  test('reconnects when the server is silent for 45 seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    expect(await gapsOf([silent])).toEqual([46]);
  });

  test.each([400, 401, 403, 404, 413])('fails at once when it gets %d', async (status) => {
    const { tenure, sent } = scripted([{ status, body: errorBody('invalid_request_error', 'event_cursor_expired') }]);
    await expect(tenure.events.stream().next()).rejects.toBeInstanceOf(InvalidRequestError);
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends a pause when the stream is closed', async () => {
    const { tenure } = scripted([{ status: 502 }]);
    const stream = tenure.events.stream();
    const waiting = stream.next();
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(1);
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the parser', () => {
  const text =
    '\ufeffid: 1\ndata: a\n\ndata:b\rdata\rdata:  c\r\r: comment\r\nid:2\r\n\r\nevent: other\ndata: d\nid: 3\n\nid: 4\0\ndata: e\n\nretry: 12\nretry: 1x\nfoo: 1\n\nid\ndata: f\n\nid: 7\r\ndata: g\r\n\r\ndata: unfinished';
  const blocks = [
    { id: '1', data: 'a' },
    { id: undefined, data: 'b\n\n c' },
    { id: '2', data: null },
    { id: '3', data: null },
    { id: undefined, data: 'e' },
    { id: '', data: 'f' },
    { id: '7', data: 'g' },
  ];

  test('reads a stream as the standard says, however it is cut', () => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size++) {
      const parser = new SseParser();
      const parsed = [];
      for (let start = 0; start < bytes.length; start += size)
        parsed.push(...parser.push(bytes.subarray(start, start + size)));
      expect(parsed, `pieces of ${size}`).toEqual(blocks);
      expect(parser.retryMs).toBe(12);
    }
  });

  test.each([
    ['a line', 'x'.repeat(1024 * 1024)],
    ['the data of an event', `data: ${'x'.repeat(1024 * 1024)}\n`],
  ])('refuses %s without an end', (_, part) => {
    const parser = new SseParser();
    const piece = new TextEncoder().encode(part);
    const push = () => {
      for (let count = 0; count < 20; count++) parser.push(piece);
    };
    expect(push).toThrow(TenureError);
  });
});
