import type { Deployment, Server } from './deployment.ts';

/** Starts one of the small servers that the product is compared with. */
export async function startComparedServer(
  deployment: Deployment,
  program: URL,
  env: Record<string, string> = {},
): Promise<Server> {
  const { child, ready } = await deployment.startCompared(program, env);
  const { port } = ready as { port: number };
  return { child, url: `http://127.0.0.1:${port}`, stop: () => child.stop() };
}
