import { Type, type Static } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { closedObject, described, oneOf } from '../../model/schemas.ts';
import type { SandboxClock } from '../../db/sandbox-clock.ts';
import type { WriteRoute } from '../route.ts';

/** A leap year, in seconds. Longer times need several steps. */
const advanceSecondsMax = 366 * 24 * 3600;

/** The end of the year 2100. */
const latestTimeMs = Date.UTC(2101, 0, 1);

const AdvanceBody = closedObject({
  seconds: Type.Integer({
    minimum: 1,
    maximum: advanceSecondsMax,
    description: 'How far to move the clock forward: up to 366 days, and not beyond the year 2100.',
  }),
});

const MovedClock = closedObject({
  object: described(oneOf('clock'), 'The kind of the object.'),
  now: Type.Integer({
    description: 'The time after the move, in seconds since the Unix epoch.',
  }),
  advanced_by: Type.Integer({
    minimum: 1,
    description: 'How many seconds the clock is ahead of real time, with all advances together.',
  }),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

/** Moves the clock of a sandbox, for all accounts of the deployment. */
export function clockRoute(sandboxClock: SandboxClock): WriteRoute {
  return {
    method: 'POST',
    operationId: 'test_helpers_clock_advance',
    docs: {
      summary: 'Advance the clock',
      description:
        'Sandbox only. Moves the clock of this deployment forward, for all accounts. So you can test what takes days: webhook retries, expiry of an `Idempotency-Key` or an API key, the rollback of an upgrade, retention. When you get the response, every process uses the new time. The clock never moves back.',
      example: { seconds: 86_400 },
    },
    response: {
      kind: 'object',
      name: 'Clock',
      schema: MovedClock,
      example: { object: 'clock', now: 1_795_320_427, advanced_by: 86_400 },
    },
    path: '/v1/test_helpers/clock/advance',
    // The clock affects all accounts of the deployment.
    permission: 'accounts.write',
    object: 'clock',
    expandable: null,
    query: {},
    body: AdvanceBody,
    upload: null,
    secretMembers: [],
    showsSecrets: false,
    propagationDelayMs: 1_000,
    // Concurrent moves by other accounts and processes are detected: each decision names the value that it has read.
    locks: () => ['clock'],
    async decide({ hasServiceContext: withContext, accountId }, { seconds }: Static<typeof AdvanceBody>) {
      const fromMs = await sandboxClock.look();
      const toMs = fromMs + seconds * 1000;
      const timeMs = sandboxClock.timeAheadMs(toMs);
      if (timeMs >= latestTimeMs) {
        throw new ApiError('parameter_invalid', '`seconds` must not move the clock beyond the year 2100. Send fewer.', {
          param: 'seconds',
        });
      }
      // Make partitions before the move, because rows in the default partitions would stay there.
      await sandboxClock.makePartitionsFor(timeMs);
      const now = { object: 'clock', now: toSeconds(timeMs), advanced_by: toMs / 1000 };
      return { clockAdvance: { fromMs, toMs }, response: { ...now, ...(withContext && { account: accountId }) } };
    },
    afterCommit: async () => void (await sandboxClock.look()),
  };
}
