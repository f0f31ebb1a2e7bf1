import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json-diff.ts';
import { answerBytesMax, fitted } from '../../../src/http/mcp/cut-answer.ts';
import { injectedInstructions } from '../../support/injected-instructions.ts';
import { connectMcp, mcpClients, mcpKey, type Mcp } from '../../support/mcp.ts';
import { good, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let mcp: string;

beforeAll(async () => {
  server = await startTestServer();
  mcp = await mcpKey(server);
});
afterAll(() => server.stop());

const connect = (): Promise<Mcp> => connectMcp(server, mcp);

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('a hundred injected instructions', () => {
  test('keeps all tools, descriptions and prompts when records hold a hundred injected instructions', async () => {
    expect(new Set(injectedInstructions).size).toBe(100);
    const listsOf = async (): Promise<string> => {
      const lists = [];
      for (const as of mcpClients) {
        const { client } = await connectMcp(server, mcp, { as });
        const tools = await client.listTools();
        const { resources } = await client.listResources();
        const { resourceTemplates } = await client.listResourceTemplates();
        const { prompts } = await client.listPrompts();
        const prompt = await client.getPrompt({ name: 'explain_reference', arguments: { reference: 'ref_1' } });
        const instructions = client.getInstructions();
        lists.push({
          tools: tools.tools,
          resources,
          resourceTemplates,
          prompts,
          prompt: prompt.messages,
          instructions,
        });
      }
      return JSON.stringify(lists);
    };
    const before = await listsOf();
    const made: string[] = [];
    for (const text of injectedInstructions) {
      const single = text.replaceAll(/[\u2028\u202e\n]/g, ' ');
      const { body: person } = await good(server.api.post('/v1/customers', { name: single.slice(0, 200) }));
      const { body: reference } = await good(
        server.api.post('/v1/references', {
          application: 'app_1',
          customer: person.id,
          metadata: { note: text.slice(0, 500) },
        }),
      );
      made.push(reference.id);
    }
    await good(server.api.post('/v1/account', { name: injectedInstructions[0]!.slice(0, 100) }));
    const tools = await connect();
    for (const [index, id] of made.entries()) {
      const { object } = await tools.call('retrieve', { id });
      // The text is where it belongs, and nowhere else.
      expect(object.metadata.note).toBe(injectedInstructions[index]!.slice(0, 500));
      expect(Object.keys(object)).not.toContain('tools');
    }
    expect((await tools.call('list', { resource: 'customers', limit: 20 })).object.data).toHaveLength(20);
    expect(await listsOf()).toBe(before);
  });

  test('keeps all tools when the name of the key is an injected instruction', async () => {
    const { body } = await good(
      server.api.post('/v1/api_keys', {
        type: 'agent',
        name: injectedInstructions[0]!.slice(0, 80),
        permissions: ['references.read'],
      }),
    );
    const named = await connectMcp(server, body.secret);
    const plain = await connectMcp(server, await mcpKey(server, ['references.read']));
    expect(await named.tools()).toEqual(await plain.tools());
    expect((await named.call('whoami')).object.key.name).toBe(injectedInstructions[0]!.slice(0, 80));
  });
});

describe('a large answer', () => {
  test('names the records that are left out when a list has more than 40 kB', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, 'ü'.repeat(200)]));
    const application = 'app_large';
    for (let made = 0; made < 6; made++) await good(server.api.post('/v1/references', { application, metadata }));
    const tools = await connect();
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 10; pages++) {
      const { object } = await tools.call('list', {
        resource: 'references',
        filters: { application },
        ...(after !== undefined && { starting_after: after }),
      });
      expect(bytesOf(object)).toBeLessThanOrEqual(answerBytesMax);
      seen.push(...object.data.map(({ id }: { id: string }) => id));
      if (!object.has_more) break;
      expect(object.cut.starting_after).toBe(seen.at(-1));
      expect(object.cut.retrieve.length).toBe(object.cut.records);
      after = object.cut.starting_after;
    }
    expect(new Set(seen).size).toBe(6);
    expect(seen).toHaveLength(6);
  });

  test('names the members that are cut when a record has more than 40 kB', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, 'ü'.repeat(500)]));
    const { body: reference } = await good(server.api.post('/v1/references', { application: 'app_2', metadata }));
    const tools = await connect();
    const { object: record } = await tools.call('retrieve', { id: reference.id });
    expect(bytesOf(record)).toBeLessThanOrEqual(answerBytesMax);
    expect(record).toMatchObject({ id: reference.id, object: 'reference', status: 'pending' });
    expect(record.cut.members.length).toBeGreaterThan(0);
    const { object: events } = await tools.call('list', {
      resource: 'events',
      filters: { object_id: reference.id },
    });
    expect(bytesOf(events)).toBeLessThanOrEqual(answerBytesMax);
    expect(events.data[0].cut.retrieve).toEqual([reference.id]);
  });

  test('returns at most 40 kB with the ids when an answer has any form', () => {
    const record = fc.object({ maxDepth: 4, maxKeys: 20, values: [fc.string({ maxLength: 5_000 }), fc.integer()] });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), fc.boolean(), (records, isList) => {
        const data = records.map((each, index) => ({ ...JSON.parse(JSON.stringify(each)), id: `ref_${index}` }));
        const object: JsonObject = isList
          ? { object: 'list', count: data.length, has_more: false, data }
          : { id: 'evt_1', object: 'event', data: { object: data[0] ?? null, all: data } };
        const short = fitted(object);
        expect(bytesOf(short)).toBeLessThanOrEqual(answerBytesMax);
        if (bytesOf(object) <= answerBytesMax) expect(short).toBe(object);
        else expect(short.cut).toBeDefined();
        if (!isList) expect(short).toMatchObject({ id: 'evt_1', object: 'event' });
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['one long text', { id: 'req_1', body: '\u0000"\\'.repeat(50_000) }],
    ['a record without an id', { counts: Array.from({ length: 30_000 }, (_, index) => index) }],
    ['many short members', Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`m${index}`, index]))],
    ['a deep record', { id: 'a', b: { c: { d: { e: 'é'.repeat(90_000) } } } }],
    ['a list with one large record', { object: 'list', data: [{ id: 'evt_1', text: 'x'.repeat(90_000) }] }],
    ['half of a pair of characters', { id: 'a', text: '😀'.repeat(40_000) }],
  ])('cuts an answer when it has %s', (_, object) => {
    const short = fitted(object);
    expect(bytesOf(short)).toBeLessThanOrEqual(answerBytesMax);
    expect(bytesOf(short)).toBeGreaterThan(10_000);
    expect(JSON.stringify(short)).not.toMatch(/\\ud83d(?!\\u)/);
  });
});
