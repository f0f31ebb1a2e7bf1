import type { Client } from 'pg';
import type { Vault } from '../core/vault.ts';

/** Known text; that it can be read again proves that the key is the one the database was made with. */
const masterKeyProof = 'tenure';

/** The master key is not the one that this database was made with. */
export class MasterKeyError extends Error {}

/**
 * Writes what is true of the deployment at its first start, and checks it at each later one.
 *
 * @returns the epoch that new events belong to.
 * @throws {MasterKeyError} before anything could be written that the other processes cannot read.
 */
export async function joinDeployment(client: Client, vault: Vault): Promise<{ eventEpoch: number }> {
  await client.query('insert into deployment (master_key_check) values ($1) on conflict do nothing', [
    vault.seal(masterKeyProof),
  ]);
  const { rows } = await client.query<{ master_key_check: Buffer; event_epoch: number }>(
    'select master_key_check, event_epoch from deployment',
  );
  const { master_key_check, event_epoch } = rows[0]!;
  try {
    if (vault.open(master_key_check) === masterKeyProof) return { eventEpoch: event_epoch };
  } catch {
    // Said below, for the person who set the key.
  }
  throw new MasterKeyError(
    'The master key is not the one this database was made with. Set TENURE_MASTER_KEY to that one; what it encrypted cannot be read without it.',
  );
}
