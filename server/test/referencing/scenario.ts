import { expect } from 'vitest';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

type Body = ApiResponse['body'];

/** Starts a sandbox whose services take two seconds for a working day. */
export const quickly = { settings: { TENURE_SIMULATOR_SPEED: '2' }, works: true } as const;

export function quickServer(): Promise<TestServer> {
  return startTestServer(quickly);
}

export function quickServerForTest(settings: Record<string, string> = {}): Promise<TestServer> {
  return serverForTest({ ...quickly, settings: { ...quickly.settings, ...settings } });
}

/** Creates a reference for a provider, with the scenario that its check follows. */
export async function refer(
  api: Api,
  {
    provider = 'provider_a',
    simulate,
    ...rest
  }: { provider?: string; simulate?: string; [name: string]: unknown } = {},
): Promise<Body> {
  const { body } = await good(
    api.post('/v1/references', {
      application: 'app_1',
      automatic_reference: { provider },
      ...(simulate !== undefined && { metadata: { simulate } }),
      ...rest,
    }),
  );
  return body;
}

export async function referenceNow(api: Api, id: string): Promise<Body> {
  return (await good(api.get(`/v1/references/${id}`))).body;
}

/** Waits until the reference is as wanted. */
export async function untilReference(api: Api, id: string, wanted: object, timeoutMs = waitMs): Promise<Body> {
  let last: Body;
  await expect
    .poll(async () => (last = await referenceNow(api, id)), { timeout: timeoutMs, interval: 25 })
    .toMatchObject(wanted);
  return last;
}

/** Returns the events of a record, oldest first. */
export async function eventsOf(api: Api, id: string): Promise<Body[]> {
  const { body } = await good(api.get(`/v1/events?object_id=${id}&limit=50`));
  return body.data.toReversed();
}
