import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectMcp, mcpClients, mcpKey, mcpOf, type Mcp, type McpClient } from '../../server/test/support/mcp.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { commandPath, User } from './support/command.ts';

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startTestServer();
  key = await mcpKey(server);
});
afterAll(() => server.stop());

/** Connects an official client to the command, as an agent starts it. */
async function connect(as: McpClient, flags: string[] = [], env: Record<string, string> = {}): Promise<Mcp> {
  const user = new User({ url: server.url, secretKey: key });
  const command = {
    command: process.execPath,
    args: [commandPath, 'mcp', ...flags],
    env: { ...user.env, ...env },
    stderr: 'ignore' as const,
  };
  const info = { name: 'test', version: '1.0.0' };
  const client =
    as === 'older line'
      ? new OldClient(info)
      : new Client(info, { versionNegotiation: { mode: as === '2025-11-25' ? 'legacy' : 'auto' } });
  onTestFinished(() => client.close());
  if (client instanceof OldClient) await client.connect(new OldStdio(command));
  else await client.connect(new StdioClientTransport(command));
  return mcpOf(client);
}

describe.each(mcpClients)('an official client (%s) on standard input and output', (as) => {
  test('lists and calls the tools of `/mcp` when an official client starts the command', async () => {
    const mcp = await connect(as);
    expect(await mcp.tools()).toEqual(await (await connectMcp(server, key, { as })).tools());
    const made = await mcp.call('references_create', { application: 'app_1' });
    expect(made.object).toMatchObject({ object: 'reference', application: 'app_1' });
    const { contents } = await mcp.client.readResource({ uri: `tenure://${made.object.id}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(made.object);
    const refused = await mcp.call('references_create', { application: 'app 1' });
    expect(refused).toMatchObject({ isError: true, object: { error: { param: 'application' } } });
    await expect(mcp.call('änder alles')).rejects.toThrow('Unknown tool');
  });

  test('lists fewer tools when --read-only and --tools are given', async () => {
    const mcp = await connect(as, ['--read-only', '--tools', 'references,events']);
    expect((await mcp.tools()).map(({ name }) => name)).toEqual([
      'whoami',
      'retrieve',
      'list',
      'docs_search',
      'docs_read',
    ]);
  });
});

/** Runs the command with these lines, and returns its own. */
async function linesOf(
  input: string[],
  env: Record<string, string> = {},
): Promise<{ messages: Record<string, unknown>[]; stderr: string; code: number | null }> {
  const user = new User({ url: server.url, secretKey: key });
  const { code, stdout, stderr } = await user.run(['mcp'], { input: `${input.join('\n')}\n`, env });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { messages: lines.map((line) => JSON.parse(line) as Record<string, unknown>), stderr, code };
}

const list = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });

test('answers each line by one line when lines are invalid, too', async () => {
  const { messages, code } = await linesOf([
    'no JSON',
    '[]',
    '',
    list(1),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    list(2),
    JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: { a: 'x'.repeat(300_000) } }),
  ]);
  expect(code).toBe(0);
  expect(messages).toHaveLength(5);
  const ids = messages.map(({ id }) => id);
  expect(ids.filter((id) => id === null)).toHaveLength(2);
  expect(ids).toEqual(expect.arrayContaining([1, 2, 3]));
  expect(messages.find(({ id }) => id === 3)).toMatchObject({ error: { data: { error: { code: 'body_too_large' } } } });
});

test('says how to make an agent key when it has a secret key', async () => {
  const { messages, stderr, code } = await linesOf([list(1)], { TENURE_API_KEY: server.secretKey });
  expect(code).toBe(0);
  expect(messages[0]).toMatchObject({ id: 1, error: { data: { error: { code: 'permission_denied' } } } });
  expect(stderr).toContain('agent key');
  expect(stderr + JSON.stringify(messages)).not.toContain(server.secretKey);
});

test('answers when the server cannot be reached', async () => {
  const { messages, stderr } = await linesOf([list(1), list(2)], { TENURE_BASE_URL: 'http://127.0.0.1:9' });
  expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([1, 2]));
  expect(messages[0]).toMatchObject({ error: { message: expect.stringContaining('cannot be reached') } });
  expect(stderr.match(/cannot be reached/g)).toHaveLength(1);
});

test('ends with a reason when it has no key, or no address for a live one', async () => {
  const user = new User();
  expect(await user.run(['mcp'])).toMatchObject({ code: 4, stdout: '' });
  expect(await user.run(['mcp'], { env: { TENURE_API_KEY: `ak_live_${'a'.repeat(32)}` } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--base-url'),
  });
});
