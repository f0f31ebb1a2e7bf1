import { expect } from 'vitest';
import { Recoveries } from '../../src/webhooks/recover.ts';
import type { TestClock } from '../support/clock.ts';
import { allOf } from '../support/paging.ts';
import type { Api, ApiResponse, TestServer } from '../support/server.ts';
import { soon } from './scenario.ts';

type Body = ApiResponse['body'];

/** Returns options of a server without retries, so that a failed delivery is final. */
export function withoutRetries(clock: TestClock) {
  return {
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    overrides: { clock, dispatcherLimits: { pollMs: 20 } },
  };
}

/** Returns the recoveries of an endpoint, newest first. */
export function recoveriesOf(api: Api, endpoint: string): Promise<Body[]> {
  return allOf(api, `/v1/webhook_endpoints/${endpoint}/recoveries`);
}

/** Resumes recoveries until none is pending, as the duty does. */
export async function untilRecovered(
  server: TestServer,
  api: Api,
  endpoint: string,
  recoveries = new Recoveries(server.context),
): Promise<Body> {
  const statusOf = async () => {
    await recoveries.advance();
    server.context.dispatcher?.wake();
    return (await recoveriesOf(api, endpoint))[0].status;
  };
  await expect.poll(statusOf, soon).not.toBe('pending');
  return (await recoveriesOf(api, endpoint))[0];
}
