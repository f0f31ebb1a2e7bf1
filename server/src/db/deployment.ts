import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Mode } from '../core/secrets/api-keys.ts';
import type { NonEmpty } from '../core/arrays.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { releaseVersion } from './latest-version.ts';
import { onlyRow } from './only-row.ts';

/** A known text. If it can be decrypted, the master key is the one that the database was created with. */
const masterKeyProof = 'tenure';

/** The master key is not the one that this database was created with. */
export class MasterKeyError extends Error {}

/** The process is set to another mode than the deployment's. */
export class ModeError extends Error {}

/** The deployment serves an API version that this release does not know. */
export class ReleaseTooOldError extends Error {}

/** The state of the deployment that a process needs at its start. */
export interface Deployment {
  /** The epoch of new events. */
  eventEpoch: number;
  /** The latest API version that is served. */
  latestVersion: string;
  /** How far the clock was moved forward, in milliseconds. */
  clockAheadMs: number;
}

/**
 * Stores the deployment's key check, mode and versions at its first start, and checks them at each later start.
 *
 * @param release the API versions that this release knows. If no other process can run beside this one (`isAlone`), the deployment serves
 *   the newest of them from now on.
 * @param mode the mode of this process. The mode of the first process is the deployment's for ever.
 * @throws {MasterKeyError} {@link ModeError} {@link ReleaseTooOldError} before it writes what other processes cannot read, or what belongs
 *   to another mode.
 */
export async function joinDeployment(
  client: Client,
  encryption: Encryption,
  mode: Mode,
  release: { versions: NonEmpty<string>; isAlone: boolean },
): Promise<Deployment> {
  const newest = release.versions[0];
  await client.query(
    'insert into deployment (master_key_check, latest_api_version, mode) values ($1, $2, $3) on conflict do nothing',
    [encryption.encrypt(masterKeyProof), newest, mode],
  );
  const { rows } = await client.query<{
    master_key_check: Buffer;
    mode: Mode | null;
    latest_api_version: string;
    clock_ahead_ms: number;
  }>('select master_key_check, mode, latest_api_version, clock_ahead_ms from deployment');
  const { master_key_check, mode: known, latest_api_version, clock_ahead_ms } = onlyRow(rows);
  refuseOtherKey(encryption, master_key_check);
  if (!release.versions.includes(latest_api_version)) {
    throw new ReleaseTooOldError(
      `This deployment serves the API version ${latest_api_version}, which this release of Tenure does not know. Start the newer release.`,
    );
  }
  refuseOtherMode(mode, known ?? (await settleMode(client, mode)));
  return {
    eventEpoch: await beginEpochAfterRestore(client),
    clockAheadMs: clock_ahead_ms,
    latestVersion: release.isAlone ? await releaseVersion(client, newest) : latest_api_version,
  };
}

/**
 * Begins the next epoch after a restore, so that new events sort after all old ones. A restored dump restarts transaction ids: then some
 * events have an id that is still to come.
 *
 * @returns the epoch of new events.
 */
async function beginEpochAfterRestore(client: Client): Promise<number> {
  await client.query(`
    update deployment
    set event_epoch = event_epoch + 1
    where exists (
      select from accounts
      cross join lateral (
        select transaction_id from events
        where events.account_id = accounts.account_id and epoch = event_epoch
        order by transaction_id desc
        limit 1
      ) newest
      where newest.transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
    )`);
  const { rows } = await client.query<{ event_epoch: number }>('select event_epoch from deployment');
  return onlyRow(rows).event_epoch;
}

/** Begins the next epoch in a database that was set back to an earlier time. New events sort after all earlier ones, even lost ones. */
export async function beginNextEpoch(client: Client): Promise<void> {
  await client.query('update deployment set event_epoch = event_epoch + 1');
}

/** Processes of the deployment are running, so its epoch cannot be raised. */
export class DeploymentInUseError extends Error {}

/**
 * Raises the epoch of new events, so that events of another cell can come before them. Does nothing if the epoch is that high already. A
 * process keeps the epoch of its start, so no process may run meanwhile.
 *
 * @throws {DeploymentInUseError} if other connections of Tenure are open.
 */
export async function raiseEpoch(client: Client, epoch: number): Promise<void> {
  // PostgreSQL still shows a process for a moment after its end.
  for (let tries = 1; ; tries++) {
    const connections = await raiseEpochIfIdle(client, epoch);
    if (connections === 0) return;
    if (tries === raiseTriesMax)
      throw new DeploymentInUseError(
        `${connections} connections of running processes are open. Stop all processes of this deployment, raise the epoch, and start them again.`,
      );
    await delay(raisePauseMs);
  }
}

const raiseTriesMax = 10;
const raisePauseMs = 300;

/** Returns the number of other connections. The epoch was raised if there are none. */
async function raiseEpochIfIdle(client: Client, epoch: number): Promise<number> {
  await client.query('begin');
  try {
    // A process that starts waits until the epoch is raised.
    await client.query('lock table deployment in access exclusive mode');
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count
       from pg_stat_activity
       where datname = current_database() and application_name = 'tenure' and pid <> pg_backend_pid()`,
    );
    const { count } = onlyRow(rows);
    if (count === 0) await client.query('update deployment set event_epoch = greatest(event_epoch, $1)', [epoch]);
    await client.query('commit');
    return count;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Reads the encrypted text that proves a master key, for {@link isOfDeployment}. Returns null if the database has none yet. */
export async function readMasterKeyCheck(client: Client): Promise<Buffer | null> {
  const { rows: tables } = await client.query(`select where to_regclass('deployment') is not null`);
  if (tables.length === 0) return null;
  const { rows } = await client.query<{ master_key_check: Buffer }>('select master_key_check from deployment');
  return rows[0]?.master_key_check ?? null;
}

/** Returns whether the master key is the one that the deployment was created with. */
export function isOfDeployment(encryption: Encryption, check: Buffer): boolean {
  try {
    return encryption.decrypt(check) === masterKeyProof;
  } catch {
    return false;
  }
}

function refuseOtherKey(encryption: Encryption, check: Buffer): void {
  if (isOfDeployment(encryption, check)) return;
  throw new MasterKeyError(
    'The master key is not the one that this database was made with. Set TENURE_MASTER_KEY to that one. Without it, the encrypted data cannot be read.',
  );
}

/**
 * Stores the mode if an earlier release did not store it.
 *
 * @returns the deployment's mode. It is another one than `mode` if another process was faster.
 */
async function settleMode(client: Client, mode: Mode): Promise<Mode> {
  await client.query('update deployment set mode = $1 where mode is null', [mode]);
  const { rows } = await client.query<{ mode: Mode }>('select mode from deployment');
  return onlyRow(rows).mode;
}

function refuseOtherMode(mode: Mode, ofDeployment: Mode): void {
  if (mode === ofDeployment) return;
  throw new ModeError(
    `This database is of a ${ofDeployment} deployment, but this start is in ${mode} mode. Set TENURE_MODE=${ofDeployment}. A ${mode} deployment needs a database of its own.`,
  );
}
