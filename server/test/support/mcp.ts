import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished } from 'vitest';
import { good, type TestServer } from './server.ts';

/** The official clients: for both revisions of the protocol, and of the older line. */
export const mcpClients = ['2026-07-28', '2025-11-25', 'older line'] as const;
export type McpClient = (typeof mcpClients)[number];

/** A tool, as a client lists it. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: object;
  annotations?: object | undefined;
}

/** What tests do with a client. */
export interface Mcp {
  revision(): string | undefined;
  tools(): Promise<ListedTool[]>;
  /** Calls a tool. The result has the structured content, which its text repeats. */
  // oxlint-disable-next-line typescript/no-explicit-any -- Tests look into answers freely; what is wrong fails the test.
  call(name: string, input?: object): Promise<{ isError: boolean; object: any; meta: any }>;
  client: Client | OldClient;
}

/** Every permission that an agent key can have. */
export function agentPermissions(server: TestServer): string[] {
  const forbidden = /^(?:api_keys|retention_holds)\.|^(?:accounts|portal_sessions|workflows)\.write$/;
  return server.context.permissions.filter((permission) => !forbidden.test(permission));
}

/** Makes a key. By default it is an agent key with every permission. It needs no approvals, as if a person had made it. */
export async function mcpKey(
  server: TestServer,
  permissions = agentPermissions(server),
  type: 'agent' | 'restricted' = 'agent',
): Promise<string> {
  const { body } = await good(server.api.post('/v1/api_keys', { type, name: 'Test agent', permissions }));
  await server.context.database.readers.query(
    `update api_keys set approvals = 'none' where id = $1 and type = 'agent'`,
    [body.id],
  );
  return body.secret;
}

/** Connects an official client. */
export async function connectMcp(
  server: Pick<TestServer, 'url'>,
  key: string,
  { as = '2026-07-28', query = '' }: { as?: McpClient; query?: string } = {},
): Promise<Mcp> {
  const url = new URL(`${server.url}/mcp${query}`);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const info = { name: 'test', version: '1.0.0' };
  const client =
    as === 'older line'
      ? new OldClient(info)
      : new Client(info, { versionNegotiation: { mode: as === '2025-11-25' ? 'legacy' : 'auto' } });
  if (client instanceof OldClient) await client.connect(new OldTransport(url, options));
  else await client.connect(new StreamableHTTPClientTransport(url, options));
  onTestFinished(() => client.close());
  return mcpOf(client);
}

/** Returns a client as tests use it. */
export function mcpOf(client: Client | OldClient): Mcp {
  return {
    client,
    revision: () =>
      client instanceof OldClient
        ? (client.transport as { protocolVersion?: string }).protocolVersion
        : client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    async call(name, input = {}) {
      const {
        content,
        structuredContent,
        isError,
        _meta: meta,
      } = (await client.callTool({ name, arguments: input as Record<string, unknown> })) as {
        content: { type: string; text: string }[];
        structuredContent?: object;
        isError?: boolean;
        _meta?: object;
      };
      expect(content).toHaveLength(1);
      expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
      return { isError: isError ?? false, object: structuredContent, meta };
    },
  };
}
