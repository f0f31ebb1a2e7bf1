import { DatabaseClock } from '../../../src/core/clock.ts';
import { checkProvider, type Judgement } from '../../../src/referencing/provider-check/index.ts';

/** Checks a service with the credentials of an account. */
export async function judged(url: string, changes: { answerMs?: number; waitMs?: number } = {}): Promise<Judgement[]> {
  const target = {
    url,
    token: 'the-token-of-the-account',
    signingSecret: 'the-signing-secret',
    answerMs: 60_000,
    waitMs: 60_000,
    listen: { host: '127.0.0.1', port: 0 },
    callbackUrl: null,
    ...changes,
  };
  return checkProvider(target, new DatabaseClock());
}
