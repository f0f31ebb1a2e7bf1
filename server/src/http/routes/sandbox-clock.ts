import { Type, type Static } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { closedObject } from '../../model/schemas/make.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { SandboxClock } from '../../db/sandbox-clock.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { ReadRoute, RouteResponse, WriteRoute } from '../route.ts';

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

const ClockNow = closedObject({
  object: Type.Literal('clock', { description: 'The kind of the object.' }),
  now: Type.Integer({
    description: 'The time of the deployment, in seconds since the Unix epoch. After a move, it is the new time.',
  }),
  advanced_by: Type.Integer({
    minimum: 0,
    description: 'How many seconds the clock is ahead of real time, with all advances together.',
  }),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

const response: RouteResponse = {
  kind: 'object',
  name: 'Clock',
  schema: ClockNow,
  example: { object: 'clock', now: 1_795_320_427, advanced_by: 86_400 },
};

/** Returns the routes about the clock of a sandbox, which all accounts of the deployment share. */
export function clockRoutes(context: HttpContext, sandboxClock: SandboxClock): [ReadRoute, WriteRoute] {
  return [retrieveRoute(sandboxClock), advanceRoute(context, sandboxClock)];
}

function retrieveRoute(sandboxClock: SandboxClock): ReadRoute {
  return {
    method: 'GET',
    operationId: 'test_helpers_clock_retrieve',
    docs: {
      summary: 'Retrieve the clock',
      description:
        'Sandbox only. Returns the time of this deployment, and how far it is ahead of real time. It is 0 until the first advance.',
    },
    response,
    path: '/v1/test_helpers/clock',
    permission: 'accounts.read',
    object: 'clock',
    expandable: null,
    query: {},
    read: async (request) => clockAt(sandboxClock, await sandboxClock.look(), request),
  };
}

function clockAt(
  sandboxClock: SandboxClock,
  aheadMs: number,
  { hasServiceContext, accountId }: ApiRequest,
): JsonObject {
  const now = toSeconds(sandboxClock.timeAheadMs(aheadMs));
  return { object: 'clock', now, advanced_by: aheadMs / 1000, ...(hasServiceContext && { account: accountId }) };
}

function advanceRoute(context: HttpContext, sandboxClock: SandboxClock): WriteRoute {
  return {
    method: 'POST',
    operationId: 'test_helpers_clock_advance',
    docs: {
      summary: 'Advance the clock',
      description:
        'Sandbox only. Moves the clock of this deployment forward, for all accounts. So you can test processes of several days, such as webhook retries, retention, and the start and end of tenancies. You can also test the end of an `Idempotency-Key`, of an API key, or of the time to roll back an upgrade. When you get the response, every process uses the new time. The response waits up to ten seconds for records that expire. Then it waits up to ten seconds for the changes of the new days. With very many records, the last changes follow later. The clock never moves back.',
      example: { seconds: 86_400 },
      sensitive: 'never',
    },
    response,
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
    propagationDelayMs: sandboxClock.isAlone ? 0 : 1_000,
    // Concurrent moves by other accounts and processes are detected: each decision names the value that it has read.
    locks: () => ['clock'],
    async decide(request, { seconds }: Static<typeof AdvanceBody>) {
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
      return { clockAdvance: { fromMs, toMs }, response: clockAt(sandboxClock, toMs, request) };
    },
    async afterCommit() {
      await sandboxClock.look();
      await context.expireRecords(AbortSignal.timeout(context.clockWaitMs));
      await context.breakDays(AbortSignal.timeout(context.clockWaitMs));
    },
  };
}
