import { Type } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { closedObject, described, oneOf } from '../../model/schemas.ts';
import type { SandboxClock } from '../../db/sandbox-clock.ts';
import type { WriteRoute } from '../route.ts';

/** A leap year: what takes longer is tried in steps. */
const advanceSecondsMax = 366 * 24 * 3600;

/** The end of the year 2100. */
const latestTimeMs = Date.UTC(2101, 0, 1);

const AdvanceBody = closedObject({
  seconds: Type.Integer({
    minimum: 1,
    maximum: advanceSecondsMax,
    description: 'How far the clock is moved forward: up to 366 days, and not beyond the year 2100.',
  }),
});

const MovedClock = closedObject({
  object: described(oneOf('clock'), 'What kind of object it is.'),
  now: Type.Integer({
    description: 'What time it was when the clock had been moved, in seconds since the Unix epoch.',
  }),
  advanced_by: Type.Integer({
    minimum: 1,
    description: 'How many seconds the clock is ahead of the world’s, this advance and all before it together.',
  }),
  account: Type.Optional(
    Type.String({ description: 'The account that was acted upon, if `Service-Context` named it.' }),
  ),
});

/** Moves the time of a sandbox: of the deployment, and so of every account. */
export function clockRoute(sandboxClock: SandboxClock): WriteRoute {
  return {
    method: 'POST',
    operationId: 'test_helpers_clock_advance',
    docs: {
      summary: 'Advance the clock',
      description:
        'In a sandbox only; in live mode there is no such route. Moves the clock of this deployment forward, for all accounts, so that what takes days can be tried: retries of webhooks, the day of an `Idempotency-Key`, the expiry of keys, the roll-back of an upgrade, retention. Every process goes by the new time when it is answered. The clock never goes back.',
      example: { seconds: 86_400 },
    },
    answer: {
      kind: 'object',
      name: 'Clock',
      schema: MovedClock,
      example: { object: 'clock', now: 1_795_320_427, advanced_by: 86_400 },
    },
    path: '/v1/test_helpers/clock/advance',
    // It concerns all that every account of the deployment has.
    permission: 'accounts.write',
    object: 'clock',
    expandable: null,
    query: {},
    body: AdvanceBody,
    upload: null,
    secretMembers: [],
    showsSecrets: false,
    propagationDelayMs: 1_000,
    // Those of other accounts, and in other processes, are told by how far it was ahead when they were decided.
    touches: () => ['clock'],
    async decide({ withContext, accountId }, input) {
      const { seconds } = input as { seconds: number };
      const fromMs = await sandboxClock.look();
      const toMs = fromMs + seconds * 1000;
      const timeMs = sandboxClock.timeAheadMs(toMs);
      if (timeMs >= latestTimeMs) {
        throw new ApiError('parameter_invalid', '`seconds` must not lead beyond the year 2100.', { param: 'seconds' });
      }
      // Before anything has that time: what fell into the default partitions would stay there.
      await sandboxClock.makePartitionsFor(timeMs);
      const now = { object: 'clock', now: toSeconds(timeMs), advanced_by: toMs / 1000 };
      return { clockAdvance: { fromMs, toMs }, answer: { ...now, ...(withContext && { account: accountId }) } };
    },
    afterwards: async () => void (await sandboxClock.look()),
  };
}
