import { isHere } from '../db/away.ts';
import type { Pool } from '../db/pools.ts';
import { purgedAtOnceMax } from './purge.ts';

/** How long an e-mail stays after it was sent, given up or kept, in seconds. */
const keptSeconds = 30 * 24 * 3600;

/** E-mails that a sandbox keeps for an account, and the bytes of their texts. The oldest go first. */
export const keptMax = 1_000;
const keptBytesMax = 8 * 1024 * 1024;

/** Deletes the e-mails about erased records, also those that have not left. */
export async function eraseEmails(pool: Pool, accountId: string, ids: readonly string[]): Promise<void> {
  await pool.query({
    name: 'erase_emails',
    text: 'delete from emails where account_id = $1 and mentions && $2::text[]',
    values: [accountId, ids],
  });
}

/**
 * Deletes some e-mails that ended 30 days ago, and the oldest of a sandbox that keeps too many.
 *
 * @returns whether there may be more.
 */
export async function purgeEmails(pool: Pool, realSeconds: number): Promise<boolean> {
  const old = await pool.query({
    name: 'purge_old_emails',
    text: `
      delete from emails
      where ctid = any(array(
        select ctid
        from emails
        where ended_at <= $1 and ${isHere('emails.account_id')}
        limit ${purgedAtOnceMax}
        for update skip locked
      ))`,
    values: [realSeconds - keptSeconds],
  });
  const surplus = await pool.query({
    name: 'purge_surplus_emails',
    text: `
      delete from emails
      where ctid = any(array(
        select ctid
        from (
          select ctid,
            row_number() over newest as place,
            sum(octet_length(content) + octet_length(link)) over newest as bytes
          from emails
          where status = 'kept' and ${isHere('emails.account_id')}
          window newest as (partition by account_id order by id desc)
        ) ranked
        where place > ${keptMax} or bytes > ${keptBytesMax}
        limit ${purgedAtOnceMax}
      ))`,
    values: [],
  });
  return old.rowCount === purgedAtOnceMax || surplus.rowCount === purgedAtOnceMax;
}
