import { ApiSteps } from '../http/routes/api-steps.ts';
import { WorkflowFollower, workflowLimits, type WorkflowLimits } from '../workflows/follower.ts';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Committer } from '../commit/committer.ts';
import { FileStore } from '../commit/file-store.ts';
import { SealedFiles } from '../commit/sealed-files.ts';
import type { EventShape } from '../commit/write-request.ts';
import { referencingServices, simulatedProviders, type Config } from './config.ts';
import { ByteCeiling, type CeilingLimits } from '../core/limits/byte-budget.ts';
import { DatabaseClock, MovedClock, type Clock } from '../core/clock.ts';
import { IdMaker } from '../core/ids.ts';
import { permissionsOf, permissionsOfPersons } from '../model/callers/permissions.ts';
import { pooledRandomBytes, type RandomBytes } from '../core/random.ts';
import type { Tracing } from '../core/tracing.ts';
import { isRetained } from '../core/retention.ts';
import { Encryption } from '../core/secrets/encryption.ts';
import { PrintTurns } from '../print/printer.ts';
import { Documents } from '../rent-documents/index.ts';
import { Logos } from '../rent-documents/logos.ts';
import { dutiesLockKey, withLock } from '../db/advisory-locks.ts';
import type { SmtpTimeouts } from '../email/smtp.ts';
import { EventFeed } from '../events/event-feed.ts';
import { FileChecker, type FileCheckerOptions } from '../file-check/checker.ts';
import {
  connectAtStartMs,
  openDatabase,
  withClient,
  type Client,
  type Connection,
  type Database,
} from '../db/pools.ts';
import { poolSizes, type PoolSizes } from '../db/pool-sizes.ts';
import { findKnown } from '../core/arrays.ts';
import { FairQueue } from '../core/limits/fair-queue.ts';
import { DiskWatch } from '../db/disk-watch.ts';
import { joinDeployment } from '../db/deployment.ts';
import { LatestVersion } from '../db/latest-version.ts';
import { migrate } from '../db/migrate.ts';
import { makePartitionsAhead } from '../db/partitions.ts';
import { TableBusyError } from '../db/table-lock.ts';
import { Reader, StrangersReader } from '../db/reader.ts';
import { recordReader } from '../db/record-reader.ts';
import { SandboxClock } from '../db/sandbox-clock.ts';
import type { ArrivalLimits, HttpContext, StreamLimits } from '../http/context.ts';
import { breakDays } from '../maintenance/daybreak.ts';
import { expireRecords } from '../maintenance/expire-records.ts';
import { openAccounts } from '../http/pipeline/account-context.ts';
import { Uses } from '../http/pipeline/last-uses.ts';
import { openKeyRing } from '../http/pipeline/authenticate.ts';
import { eventTypesOf } from '../http/openapi/event-types.ts';
import { SecretMembers } from '../core/secrets/secret-members.ts';
import { personalDataIdsOf } from '../model/erase.ts';
import type { Resource } from '../model/resource.ts';
import { streamed } from '../model/traits/streamed.ts';
import { Metrics } from '../metrics/metrics.ts';
import { resources as ownResources } from '../resources/index.ts';
import { Dispatcher, dispatcherLimits, type DispatcherLimits } from '../webhooks/dispatcher.ts';
import { streamLimits } from '../http/routes/sse.ts';
import { arrivalLimits } from '../http/body/body-time.ts';
import { openReadBudgets, readLimits, type ReadLimits } from '../http/read-memory.ts';
import { guardedConnector, systemResolve, type ResolveHost } from '../webhooks/ssrf-guard.ts';
import { deliveriesNotifier } from '../webhooks/notify.ts';
import { Eraser } from '../maintenance/erasure.ts';
import { migrateQueue } from '../job-queue/queue.ts';
import { collectingListener } from '../gateway-payments/listener.ts';
import { callTimeoutsMs, type CallTimeouts } from '../external-services/client.ts';
import { watchLimits, type WatchLimits } from '../external-jobs/watch.ts';
import { GatewaySimulations } from '../gateway-payments/test-helpers.ts';
import { paymentGateways } from '../gateway-payments/gateways/index.ts';
import { gateways } from '../core/vocabulary/gateways.ts';
import { email } from '../resources/email.ts';
import { payment } from '../resources/letting/payment/index.ts';
import { Callbacks } from '../external-jobs/callbacks.ts';
import { referencingListener } from '../referencing/listener.ts';
import { reference } from '../resources/reference/index.ts';
import { Simulations } from '../referencing/test-helpers.ts';
import { referencingProviders } from '../referencing/providers/index.ts';
import { IdentityProvider } from '../sign-in/identity-provider.ts';
import { SearchIndex } from '../search/search-index.ts';
import { Passwords } from '../sign-in/passwords.ts';
import { openPortalRing } from '../sign-in/portal-sessions.ts';
import { openSessionRing } from '../sign-in/sessions.ts';
import { Health } from './health.ts';
import { ownMemory, watchProcessSize, type ProcessMemory } from './process-size.ts';
import { version } from './version.ts';
import type { ApiVersion } from '../versions/api-version.ts';
import { ApiVersions } from '../versions/apply.ts';
import { apiVersions } from '../versions/index.ts';
import { onlyRow } from '../db/only-row.ts';

/** The parts of the server, built once and passed to the code that needs them. */
export interface Context extends HttpContext {
  /** Those of reports and of documents for requests. */
  printTurns: PrintTurns;
  config: Config;
  connection: Connection;
  keyUses: Uses;
  sessionUses: Uses;
  portalUses: Uses;
  database: Database;
  poolSizes: PoolSizes;
  eraser: Eraser;
  health: Health;
  searchIndex: SearchIndex;
  metrics: Metrics;
  logos: Logos;
  /** Finds, in a text, the ids of records that can hold personal data. */
  personalDataIds: RegExp;
  secretMembers: SecretMembers;
  /** The kind of e-mails, which no route serves. */
  emails: Resource;
  emailLimits: Partial<EmailLimits>;
  callTimeoutsMs: CallTimeouts;
  /** Whether no other process can run beside this one. */
  isAlone: boolean;
  /** Not started yet. Null in a process without jobs. */
  workflowFollower: WorkflowFollower | null;
  /** How this server posts to others. */
  outgoing: { connect: ReturnType<typeof guardedConnector>; userAgent: string; attemptTimeoutMs: number };
  workflowLimits: WorkflowLimits;
  apiSteps: ApiSteps;
  /** Not started yet. Null in a process that does not deliver. */
  dispatcher: Dispatcher | null;
  close(): Promise<void>;
}

/** Short enough not to be noticed, and enough for some hundred records. A search shows until when it is complete. */
const searchWaitMs = 100;

/** Milliseconds. The duties make the changes that an advance of the clock leaves. */
const clockWaitMs = 10_000;

const megabyte = 1024 * 1024;

/**
 * The aim is a process below 400 MB. A warm one has up to 200 MB. What is held takes more than it counts until it is collected. The
 * connections and 8 MB of strangers (`strangerLimits`) come on top. The share of a tree has room for the largest page. An office holds
 * little while it uploads a file, imports a bank statement and makes small changes.
 */
export const memoryLimits: CeilingLimits = {
  max: 80 * megabyte,
  maxPerTree: 60 * megabyte,
  reserved: 16 * megabyte,
  little: 4 * megabyte,
};

/** How long and how often a mail server is tried. */
export interface EmailLimits {
  timeouts: SmtpTimeouts;
  /** The pauses between attempts, in seconds. */
  pauses: readonly number[];
}

/** Replacements that a test may use for the real parts. */
export interface Overrides {
  clock?: Clock;
  randomBytes?: RandomBytes;
  resolveHost?: ResolveHost;
  openDatabase?: typeof openDatabase;
  dispatcherLimits?: Partial<DispatcherLimits>;
  streamLimits?: Partial<StreamLimits>;
  arrivalLimits?: ArrivalLimits;
  readLimits?: Partial<ReadLimits>;
  emailLimits?: Partial<EmailLimits>;
  memoryLimits?: Partial<CeilingLimits>;
  processMemory?: ProcessMemory;
  workflowLimits?: Partial<WorkflowLimits>;
  fileChecks?: FileCheckerOptions;
  callTimeoutsMs?: CallTimeouts;
  /** How long test helpers wait. */
  watchLimits?: Partial<WatchLimits>;
  tracing?: Tracing;
  /** The versions of another release, to test with. */
  versions?: readonly ApiVersion[];
  resources?: readonly Resource[];
}

/**
 * Migrates the database, joins the deployment and builds the context.
 *
 * @param settings.isAlone whether no other process can run beside this one.
 * @throws {MigrationError} {@link MasterKeyError} {@link ModeError} {@link ReleaseTooOldError} with a message for the operator.
 */
export async function createContext(
  settings: {
    config: Config;
    connection: Connection;
    masterKey: Uint8Array;
    log: Logger;
    isAlone?: boolean;
    tracing?: Tracing | null;
  },
  overrides: Overrides = {},
): Promise<Context> {
  const { config, connection, masterKey, log, isAlone = false } = settings;
  const tracing = overrides.tracing ?? settings.tracing ?? null;
  const randomBytes = overrides.randomBytes ?? pooledRandomBytes();
  const databaseClock = new DatabaseClock();
  const realClock = overrides.clock ?? databaseClock;
  const clock = new MovedClock(realClock);
  const ids = new IdMaker(clock, randomBytes);
  const encryption = new Encryption(masterKey, randomBytes);

  const resources = overrides.resources ?? ownResources;
  const versions = new ApiVersions(overrides.versions ?? apiVersions);

  const { eventEpoch, latestVersion: latestKnown } = await withClient(
    connection,
    async (client) => {
      await migrate(client, { onWait: (message) => log.warn(message), onNewer: (message) => log.warn(message) });
      databaseClock.correct(await databaseAheadMs(client));
      const deployment = await joinDeployment(client, encryption, config.mode, {
        versions: versions.upTo(versions.newest),
        isAlone,
      });
      if (config.mode === 'sandbox') clock.moveTo(deployment.clockAheadMs);
      await withLock(client, dutiesLockKey, () => makePartitionsAhead(client, clock.nowMs())).catch(
        (error: unknown) => {
          // The duty tries again, and there are partitions for weeks.
          if (!(error instanceof TableBusyError)) throw error;
          log.warn({ err: error }, 'partitions could not be made yet');
        },
      );
      return deployment;
    },
    connectAtStartMs,
  );

  const disk = new DiskWatch(log);
  const sizes = poolSizes(config, config.databaseConnections);
  const database = (overrides.openDatabase ?? openDatabase)(connection, log, { disk, sizes });
  await migrateQueue(connection, database.jobs);
  const metrics = new Metrics({
    database,
    disk,
    clock,
    realClock,
    log,
    spans: tracing,
    product: { version, mode: config.mode, role: config.role },
  });
  const reader = new Reader(database.readers);
  const accounts = openAccounts(reader);
  const latestVersion = new LatestVersion(reader, latestKnown);
  // Store events in the latest released shape: processes of the previous release may have to read them.
  const eventShape = (): EventShape => {
    const latest = versions.upTo(latestVersion.known)[0];
    return { version: latest, of: (event) => versions.convert(event, versions.newest, latest) };
  };
  const memory = new ByteCeiling({ ...memoryLimits, ...overrides.memoryLimits });
  metrics.holdsBytes('all', memory);
  const stopWatching = watchProcessSize(memory, overrides.processMemory ?? ownMemory());
  const deliveryLimits = { ...dispatcherLimits, ...overrides.dispatcherLimits };
  const connect = guardedConnector({
    allowed: config.allowedTargets,
    resolve: overrides.resolveHost ?? systemResolve,
    connectTimeoutMs: deliveryLimits.connectTimeoutMs,
  });
  const userAgent = `Tenure/${version}`;
  const dispatcher =
    config.role === 'api'
      ? null
      : new Dispatcher({
          pool: database.deliverers,
          accounts,
          encryption,
          clock,
          realClock,
          versions,
          randomBytes,
          log,
          connect,
          retryScheduleSeconds: config.retryScheduleSeconds,
          userAgent,
          limits: deliveryLimits,
          memory,
          observer: metrics.deliveries,
          tracing,
        });
  if (dispatcher) {
    metrics.deliveries.watch(dispatcher);
    metrics.holdsBytes('deliveries', dispatcher.bytes);
  }
  const onDeliveries = dispatcher ? () => dispatcher.wake() : deliveriesNotifier(database.readers, log);
  const sandboxClock =
    config.mode === 'sandbox' ? new SandboxClock({ reader, connection, clock, realClock, isAlone }) : null;
  const readRecord = recordReader(reader);
  const personalDataIds = personalDataIdsOf(resources);
  const limitsOfStreams = { ...streamLimits, ...overrides.streamLimits };
  const eventFeed = new EventFeed({
    reader: new Reader(database.followers),
    readsAtOnce: sizes.followers,
    resource: findKnown(resources, (resource) => streamed.has(resource)),
    log,
    subscriptionBytes: limitsOfStreams.bytes,
    memory,
    isRetained: (id) => isRetained(id, clock.nowMs(), config.retentionDays),
  });
  const limitsOfReads = { ...readLimits, ...overrides.readLimits };
  const readBudgets = openReadBudgets(limitsOfReads, memory);
  metrics.holdsBytes('reads', readBudgets.reads);
  metrics.holdsBytes('downloads', readBudgets.downloads);
  metrics.holdsBytes('streams', eventFeed.budgets.subscriptions);
  metrics.holdsBytes('stream_cache', eventFeed.budgets.kept);
  const searchIndex: SearchIndex = new SearchIndex({
    pool: database.searchers,
    readRecord,
    resources,
    isBusy: () => committer.isBusy,
  });
  // The follower needs the committer, too.
  const followsWorkflows = (): WorkflowFollower | null => workflowFollower;
  const committer = new Committer({
    writers: database.writers,
    ids,
    clock,
    realClock,
    eventShape,
    personalDataIds,
    epoch: eventEpoch,
    onDeliveries,
    newDeliveryClaims: dispatcher,
    onEvents: (accountIds) => {
      eventFeed.wake(accountIds);
      searchIndex.wake(accountIds);
      followsWorkflows()?.wake(accountIds);
    },
    observer: metrics.commits,
    tracing,
    memory,
  });
  metrics.holdsBytes('commits', committer.bytes);
  const simulated = simulatedProviders(config);
  const limitsOfWatches = { ...watchLimits, ...overrides.watchLimits };
  const fileStore = new FileStore(database.files, accounts, sizes.files);
  const fileChecker = new FileChecker(overrides.fileChecks);
  const sealedFiles = new SealedFiles(database.files, fileStore, randomBytes);
  const eraser = new Eraser({
    sealedFiles,
    encryption,
    committer,
    database,
    reader,
    readRecord,
    searchIndex,
    resources,
    versions,
    clock,
    ids,
    log,
    memory,
  });
  metrics.holdsBytes('erasures', eraser.bytes);
  const logos = new Logos({ readRecord, accounts, fileStore, fileChecker });
  const printTurns = new PrintTurns();
  const documents = new Documents({ readRecord, reader, logos, mode: config.mode }, memory, { turns: printTurns });
  metrics.holdsBytes('prints', documents.bytes);
  const systemContext = { committer, readRecord, resources, clock, ids };
  const eventTypes = resources.flatMap(eventTypesOf).map(({ type }) => type);
  const limitsOfWorkflows = { ...workflowLimits, ...overrides.workflowLimits };
  const workflowFollower: WorkflowFollower | null =
    config.role === 'api'
      ? null
      : new WorkflowFollower(
          { ...systemContext, isAlone, versions, realClock, accounts, database, reader, eventTypes, log },
          limitsOfWorkflows,
        );
  const context: Context = {
    config,
    connection,
    log,
    clock,
    realClock,
    sandboxClock,
    ids,
    randomBytes,
    database,
    poolSizes: sizes,
    reader,
    strangersReader: new StrangersReader(database.readers, new FairQueue(Math.floor(sizes.readers / 2))),
    lister: new Reader(database.listers),
    listQueue: new FairQueue(sizes.listers),
    searcher: new Reader(database.searchers),
    searchQueue: new FairQueue(Math.max(1, sizes.searchers - 1)),
    searchWaitMs,
    clockWaitMs,
    importQueue: new FairQueue(1),
    searchIndex,
    readRecord,
    committer,
    apiSteps: new ApiSteps(() => context),
    isAlone,
    workflowFollower,
    outgoing: { connect, userAgent, attemptTimeoutMs: deliveryLimits.attemptTimeoutMs },
    workflowLimits: limitsOfWorkflows,
    eventFeed,
    streamLimits: limitsOfStreams,
    arrivalLimits: overrides.arrivalLimits ?? arrivalLimits,
    readLimits: limitsOfReads,
    emails: email,
    emailLimits: overrides.emailLimits ?? {},
    callTimeoutsMs: overrides.callTimeoutsMs ?? callTimeoutsMs,
    readBudgets,
    memory,
    eraser,
    tracing,
    metrics,
    personalDataIds,
    secretMembers: new SecretMembers(resources.flatMap(({ update }) => update?.secrets ?? [])),
    fileStore,
    fileChecker,
    sealedFiles,
    providerCallbacks: new Callbacks(systemContext, [
      referencingListener({ readRecord, encryption, realClock }, referencingProviders, simulated),
      collectingListener({ encryption, realClock }, paymentGateways, config.mode === 'sandbox' ? gateways : []),
    ]),
    expireRecords: (signal) => expireRecords({ ...systemContext, reader, log }, signal),
    async breakDays(signal) {
      await breakDays({ resources, reader, readRecord, committer, accounts, clock, ids, log }, signal);
      // Of the holds that have expired.
      await sealedFiles.purge(signal);
    },
    simulations: {
      [reference.path]: new Simulations({ ...systemContext, database }, simulated, limitsOfWatches),
      [payment.path]: new GatewaySimulations({ ...systemContext, database }, limitsOfWatches),
    },
    keyRing: openKeyRing(reader),
    keyUses: new Uses('api_keys'),
    sessionRing: openSessionRing({ reader, mode: config.mode, permissions: permissionsOfPersons(resources) }),
    sessionUses: new Uses('sessions'),
    portalRing: openPortalRing(reader),
    portalUses: new Uses('portal_sessions'),
    passwords: new Passwords(randomBytes),
    identityProvider:
      config.identityProvider && new IdentityProvider(config.identityProvider, config.publicUrl, realClock),
    accounts,
    logos,
    documents,
    printTurns,
    encryption,
    dispatcher,
    resources,
    permissions: permissionsOf(resources),
    permissionsOfPersons: permissionsOfPersons(resources),
    referencingServices: referencingServices(config),
    eventTypes,
    versions,
    latestVersion,
    productVersion: version,
    dashboardDir: join(import.meta.dirname, '../../../dashboard/dist'),
    portalDir: join(import.meta.dirname, '../../../portal/dist'),
    eventShape,
    health: new Health(reader, disk),
    async close() {
      metrics.stop();
      stopWatching();
      await documents.stop();
      await fileChecker.stop();
      sandboxClock?.stop();
      await database.end();
    },
  };
  return context;
}

/** Measures how far the database's clock is ahead of this machine's, in milliseconds. The shortest of three trips is the most exact. */
async function databaseAheadMs(client: Client): Promise<number> {
  let best = { tripMs: Infinity, aheadMs: 0 };
  for (let trip = 0; trip < 3; trip++) {
    const sentMs = Date.now();
    const { rows } = await client.query<{ ms: number }>(
      `select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
    );
    const tripMs = Date.now() - sentMs;
    if (tripMs < best.tripMs) best = { tripMs, aheadMs: Math.round(onlyRow(rows).ms - (sentMs + tripMs / 2)) };
  }
  // A smaller difference is measurement noise. On one machine the two clocks are the same.
  return Math.abs(best.aheadMs) > Math.max(5, best.tripMs) ? best.aheadMs : 0;
}
