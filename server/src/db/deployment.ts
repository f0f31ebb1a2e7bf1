import type { Client } from 'pg';
import type { Mode } from '../core/api-keys.ts';
import type { Vault } from '../core/encryption.ts';
import { releaseVersion } from './latest-version.ts';

/** Known text; that it can be read again proves that the key is the one the database was made with. */
const masterKeyProof = 'tenure';

/** The master key is not the one that this database was made with. */
export class MasterKeyError extends Error {}

/** The process is set to another mode than the deployment's. */
export class ModeError extends Error {}

/** The deployment serves a version of the API that this release does not know. */
export class ReleaseTooOldError extends Error {}

/** What a process needs to know of the deployment it belongs to. */
export interface Deployment {
  /** New events belong to it. */
  eventEpoch: number;
  /** The latest version of the API that is served. */
  latestVersion: string;
  /** How far its clock was moved forward, in milliseconds. */
  clockAheadMs: number;
}

/**
 * Writes what is true of the deployment at its first start, and checks it at each later one.
 *
 * @param release the versions of the API that this release knows, and whether no other process can run beside this one: then its
 *   newest version is served from now on.
 * @param mode as this process is set; the first one's is the deployment's for ever.
 * @throws {MasterKeyError} {@link ModeError} {@link ReleaseTooOldError} before anything is written that the other processes cannot read, or
 *   that is not of their mode.
 */
export async function joinDeployment(
  client: Client,
  vault: Vault,
  mode: Mode,
  release: { versions: readonly string[]; isAlone: boolean },
): Promise<Deployment> {
  const newest = release.versions[0]!;
  await client.query(
    'insert into deployment (master_key_check, latest_api_version, mode) values ($1, $2, $3) on conflict do nothing',
    [vault.seal(masterKeyProof), newest, mode],
  );
  const { rows } = await client.query<{
    master_key_check: Buffer;
    mode: Mode | null;
    latest_api_version: string;
    clock_ahead_ms: number;
  }>('select master_key_check, mode, latest_api_version, clock_ahead_ms from deployment');
  const { master_key_check, mode: known, latest_api_version, clock_ahead_ms } = rows[0]!;
  refuseOtherKey(vault, master_key_check);
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
 * Transaction ids begin anew where a dump is restored. Events that have one which is still to come show it, and what is written from
 * now on comes after them all: in the next epoch.
 *
 * @returns the epoch of what is written from now on.
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
  return rows[0]!.event_epoch;
}

/**
 * For a database that was set back to an earlier time: what is written from now on comes after all that anybody may have seen, also
 * after what is lost.
 */
export async function beginNextEpoch(client: Client): Promise<void> {
  await client.query('update deployment set event_epoch = event_epoch + 1');
}

/** What shows whether a master key is the deployment's, for {@link isOfDeployment}; null if the database has none yet. */
export async function readMasterKeyCheck(client: Client): Promise<Buffer | null> {
  const { rows: tables } = await client.query(`select where to_regclass('deployment') is not null`);
  if (tables.length === 0) return null;
  const { rows } = await client.query<{ master_key_check: Buffer }>('select master_key_check from deployment');
  return rows[0]?.master_key_check ?? null;
}

/** Whether the vault's master key is the one that the deployment was made with. */
export function isOfDeployment(vault: Vault, check: Buffer): boolean {
  try {
    return vault.open(check) === masterKeyProof;
  } catch {
    return false;
  }
}

function refuseOtherKey(vault: Vault, check: Buffer): void {
  if (isOfDeployment(vault, check)) return;
  throw new MasterKeyError(
    'The master key is not the one this database was made with. Set TENURE_MASTER_KEY to that one; what it encrypted cannot be read without it.',
  );
}

/**
 * A release before did not write it down: the first process that asks does.
 *
 * @returns the deployment's mode, which is another one if another process was faster.
 */
async function settleMode(client: Client, mode: Mode): Promise<Mode> {
  await client.query('update deployment set mode = $1 where mode is null', [mode]);
  const { rows } = await client.query<{ mode: Mode }>('select mode from deployment');
  return rows[0]!.mode;
}

function refuseOtherMode(mode: Mode, ofDeployment: Mode): void {
  if (mode === ofDeployment) return;
  throw new ModeError(
    `This database is of a ${ofDeployment} deployment, but this start is in ${mode} mode. Set TENURE_MODE=${ofDeployment}; a ${mode} deployment needs a database of its own.`,
  );
}
