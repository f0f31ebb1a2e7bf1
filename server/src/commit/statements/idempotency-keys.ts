import type { BatchEntry } from '../batch-entry.ts';
import { type Statement, type Cell, statementOf } from './statement.ts';

/** A stored response is replayed for a day, in milliseconds. Then the key counts as new (spec, limits). */
export const keyLifetimeMs = 24 * 3600 * 1000;

/**
 * Milliseconds after which a request may no longer claim a key. A request is this slow only if its machine slept or its clock was set
 * forward. By then the key may have been used for another request and been deleted.
 */
export const claimedWithinMs = 2 * 60_000;

/** Locks the key of a row of `claimKeys` until the transaction ends, without waiting. */
const tryLockOnKey = `pg_try_advisory_xact_lock(hashtextextended(account_id || ' ' || key_account_id || ' ' || key, 0))`;

/**
 * Claims idempotency keys. A transaction lock on the key distinguishes a request that is being committed elsewhere from a committed one. It
 * never waits, so the client gets its 409 at once. A claim that comes too late is rejected too. An expired claim counts as none.
 */
export function claimKeys(batch: readonly BatchEntry[], nowMs: number): Statement | null {
  const rows: Cell[][] = [];
  batch.forEach(({ accountId, claim, log }, entry) => {
    if (!claim || !log) return;
    const encryptedBody = log.response.secret?.encryptedBody.toString('hex') ?? null;
    const { keyAccountId, key, fingerprint } = claim;
    const { id, startedMs } = log.facts;
    const isLate = nowMs - startedMs > claimedWithinMs;
    rows.push([entry, accountId, keyAccountId, key, fingerprint, id, startedMs, encryptedBody, isLate]);
  });
  return statementOf(
    'claim_keys',
    `
    with input as materialized (
      select *
      from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::boolean[])
        as input (entry, account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, sealed_body, is_late)
    ),
    claimed as (
      insert into idempotency_keys as stored
        (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, sealed_body)
      select account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, decode(sealed_body, 'hex')
      from input
      where not is_late and ${tryLockOnKey}
      on conflict (account_id, key_account_id, key) do update
        set fingerprint = excluded.fingerprint,
            request_id = excluded.request_id,
            claimed_at_ms = excluded.claimed_at_ms,
            sealed_body = excluded.sealed_body
        where stored.claimed_at_ms + ${keyLifetimeMs} <= excluded.claimed_at_ms
      returning request_id
    ),
    refused as materialized (
      select *
      from input
      where request_id not in (select request_id from claimed)
    )
    -- A transaction can take its own lock again. A rejected key whose lock is free or ours is stored by now.
    select
      reject_batch_entries('key_locked', array(select entry from refused where is_late or not ${tryLockOnKey})),
      reject_batch_entries('key_completed', array(select entry from refused))`,
    rows,
  );
}

/**
 * Starts the day of the request's own key at the new time. Otherwise the advance could end it, and a retry would advance the clock again.
 */
export function moveOwnKeys(batch: readonly BatchEntry[]): Statement | null {
  return statementOf(
    'move_own_keys',
    `
    update idempotency_keys stored
    set claimed_at_ms = claimed_at_ms + input.ms
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as input (account_id, key_account_id, key, ms)
    where stored.account_id = input.account_id
      and stored.key_account_id = input.key_account_id
      and stored.key = input.key`,
    batch.flatMap(({ accountId, claim, clockAdvance }) =>
      claim && clockAdvance
        ? [[accountId, claim.keyAccountId, claim.key, clockAdvance.toMs - clockAdvance.fromMs]]
        : [],
    ),
  );
}
