import { Agent, request } from 'undici';
import { percentile, verify, type Reading, type Suite } from './suite.ts';

/** Calls of each kind, in turn, one after the other. */
const samples = 400;
const warmUps = 40;

interface Answer {
  durationMs: number;
  body: string;
}

export const mcp: Suite<'read' | 'write'> = {
  name: 'mcp',
  figures: {
    read: figureOf('A read by an agent at /mcp, p50, above the same request of the API'),
    write: figureOf('A write by an agent at /mcp, p50, above the same request of the API'),
  },
  async round({ deployment }) {
    const server = await deployment.startServer('api');
    const agent = new Agent({ connections: 1, pipelining: 1 });
    try {
      const made = await send('/v1/api_keys', deployment.secretKey, {
        type: 'agent',
        name: 'Bench',
        permissions: ['references.write'],
      });
      const key = (JSON.parse(made.body) as { secret: string }).secret;
      const reference = await send('/v1/references', key, { application: 'app_1' });
      const { id } = JSON.parse(reference.body) as { id: string };
      return {
        read: await compare(
          () => send(`/v1/references/${id}`, key, null),
          () => call(key, 'retrieve', { id }),
        ),
        write: await compare(
          () => send('/v1/references', key, { application: 'app_1' }),
          () => call(key, 'references_create', { application: 'app_1' }),
        ),
      };
    } finally {
      await agent.close();
      await server.stop();
    }

    async function send(path: string, key: string, body: object | null): Promise<Answer> {
      const startedMs = performance.now();
      const answer = await request(server.url + path, {
        dispatcher: agent,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      });
      const text = await answer.body.text();
      verify(`${path} answered with ${answer.statusCode}: ${text.slice(0, 200)}`, answer.statusCode === 200);
      return { durationMs: performance.now() - startedMs, body: text };
    }

    async function call(key: string, name: string, input: object): Promise<Answer> {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
      const answer = await send('/mcp', key, message);
      const { result } = JSON.parse(answer.body) as { result?: { isError?: boolean } };
      verify(`the tool ${name} failed: ${answer.body.slice(0, 200)}`, result !== undefined && !result.isError);
      return answer;
    }
  },
};

/** Alternates both, so that a slow moment of the machine touches both. Returns the difference of their medians. */
async function compare(api: () => Promise<Answer>, tool: () => Promise<Answer>): Promise<Reading> {
  const ofApi: number[] = [];
  const ofTool: number[] = [];
  for (let index = -warmUps; index < samples; index++) {
    const plain = await api();
    const called = await tool();
    if (index < 0) continue;
    ofApi.push(plain.durationMs);
    ofTool.push(called.durationMs);
  }
  const [limit, ours] = [percentile(ofApi, 0.5), percentile(ofTool, 0.5)];
  return { value: ours - limit, ours, limit };
}

function figureOf(title: string): (typeof mcp)['figures']['read'] {
  return { title, unit: 'ms', better: 'less', floor: 5, aim: null, needs: [], besideUnit: 'ms' };
}
