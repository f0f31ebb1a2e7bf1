import { withTraits } from '../../src/model/resource.ts';
import { cached } from '../../src/model/traits/cached.ts';
import type { Context, Overrides } from '../../src/server/context.ts';
import { openAccounts } from '../../src/http/pipeline/account-context.ts';
import { openPortalRing } from '../../src/sign-in/portal-sessions.ts';
import { openSessionRing } from '../../src/sign-in/sessions.ts';
import { openKeyRing } from '../../src/http/pipeline/authenticate.ts';
import type { Resource } from '../../src/model/resource.ts';
import { waitMs } from './wait.ts';

/**
 * Replaces 1,000 ms for keys and accounts, and 250 ms for endpoints. A change waits this long for its response, so every change in a test
 * would wait too.
 */
const ageMaxMs = 20;

/** Milliseconds. */
const databaseMsMax = 60_000;

/** Milliseconds. A busy machine may take longer for a search than the second that clients wait. */
const searchMsMax = 20_000;

/** A busy machine may take longer to receive and to respond than the 15 s of an attempt. A test with limits of its own has only them. */
const longAttempts = { attemptTimeoutMs: 60_000, leaseMs: 90_000 };

/** Replaces 15 minutes for a confirmed identity. On a busy machine, the tests of a server take longer. A test of its end moves a clock. */
const confirmedForSeconds = 24 * 3600;

/** A busy machine may take longer for a call to a service and its effect than people wait. */
export const longWatches = { takenUpMsMax: waitMs, shownMsMax: waitMs };

/** A busy machine may read a request long after it has arrived. Such a request gets 408. */
export const patientArrivals = { headMs: waitMs, bodyMs: waitMs, uploadMs: waitMs };

/** Adds the short age of endpoints, and long waits for receivers, services and their effects. */
export function withShortAges(overrides: Overrides | undefined): Overrides {
  const { attemptTimeoutMs, leaseMs } = overrides?.dispatcherLimits ?? {};
  const attempts = attemptTimeoutMs === undefined && leaseMs === undefined ? longAttempts : {};
  return {
    ...overrides,
    dispatcherLimits: { endpointAgeMaxMs: ageMaxMs, ...attempts, ...overrides?.dispatcherLimits },
    callTimeoutsMs: { real: waitMs, simulated: waitMs, ...overrides?.callTimeoutsMs },
    fileChecks: { checkTimeoutMs: waitMs, waitMs, ...overrides?.fileChecks },
    watchLimits: { ...longWatches, ...overrides?.watchLimits },
    // Nothing passes over a connection while a test helper waits.
    readLimits: { stalledMs: 2 * waitMs, ...overrides?.readLimits },
  };
}

/**
 * Returns the context with short ages of keys, accounts and all that a change waits for.
 *
 * @param movesClock whether the test has a clock of its own.
 */
export function withShortWaits(context: Context, { movesClock }: { movesClock: boolean }): Context {
  const { reader, database } = context;
  // No connection is open yet: each takes the limit when it opens.
  database.searchers.options.statement_timeout = searchMsMax;
  const { readers, listers, followers, files, writers, deliverers, jobs, searchers } = database;
  // The limits are 5 s for a connection and 10 s for a statement. A busy machine may take longer.
  for (const { options } of [readers, listers, followers, files, writers, deliverers, jobs]) {
    Object.assign(options, { connectionTimeoutMillis: databaseMsMax, statement_timeout: databaseMsMax });
    options.query_timeout = databaseMsMax + 5_000;
  }
  searchers.options.connectionTimeoutMillis = databaseMsMax;
  // Monitoring gives up after 0.3 s. Some tests wait for that, so this is not much more.
  Object.assign(database.watchers.options, {
    connectionTimeoutMillis: 10_000,
    statement_timeout: 5_000,
    query_timeout: 10_000,
  });
  context.eraser.waitMs = waitMs;
  return {
    ...context,
    resources: quickened(context.resources),
    keyRing: openKeyRing(reader, ageMaxMs),
    sessionRing: openSessionRing(
      {
        reader,
        mode: context.config.mode,
        permissions: context.permissionsOfPersons,
        ...(!movesClock && { confirmedForSeconds }),
      },
      ageMaxMs,
    ),
    portalRing: openPortalRing(reader, ageMaxMs),
    accounts: openAccounts(reader, ageMaxMs),
    // A search finds what a test has just written, however busy the machine is.
    searchWaitMs: searchMsMax,
    // Advances leave nothing to duties. Most servers of tests have none.
    clockWaitMs: waitMs,
  };
}

/** Returns the same list for the same resources, so that their documents are made once. */
const known = new WeakMap<readonly Resource[], readonly Resource[]>();

function quickened(resources: readonly Resource[]): readonly Resource[] {
  const quick =
    known.get(resources) ??
    resources.map((resource) => (cached.has(resource) ? withTraits(resource, cached(ageMaxMs)) : resource));
  known.set(resources, quick);
  return quick;
}
