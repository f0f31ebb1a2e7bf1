import { putData, type Params } from '../params.ts';
import { picked, showJson, viewOf } from '../output/show.ts';
import { Session } from '../session.ts';
import type { RequestFlags } from './definitions.ts';

/** Sends a request, and prints its response. */
export async function runRequest(method: string, path: string, flags: RequestFlags): Promise<void> {
  const session = await Session.open(flags);
  const { terminal } = session;
  const params: Params = {};
  for (const text of flags.data ?? []) putData(params, text, null);
  if (method !== 'GET') await session.confirm(method === 'DELETE' ? 'This deletes it for good.' : null);
  const { fields } = viewOf(flags, terminal, null);
  const options = {
    ...session.options,
    ...(flags.idempotencyKey !== undefined && { idempotencyKey: flags.idempotencyKey }),
  };
  const answer = await session.client.request(
    method,
    path,
    Object.keys(params).length > 0 ? params : undefined,
    options,
  );
  terminal.out(showJson(picked(answer, fields), terminal));
}
