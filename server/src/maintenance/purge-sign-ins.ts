import { isHere } from '../db/away.ts';
import type { Pool } from '../db/pools.ts';
import { purgedAtOnceMax } from './purge.ts';

/** How long a row stays after its end, in seconds. Processes whose clocks differ then agree that it has ended. */
const keptSeconds = 24 * 3600;

/** A sign-in of the command line may hold an encrypted key, so it stays for an hour only. In seconds. */
const keptWithSecretSeconds = 3600;

/**
 * Deletes some sessions, one-time links, counters of failed sign-ins and used challenges that ended a day ago. Sign-ins of the command line
 * stay for an hour. A session also ends with its user, or with the credentials of the user. Nothing accepts these rows any more.
 * Rows of accounts that are away stay: a guard keeps them, and they would take the place of others.
 *
 * @returns whether there may be more.
 */
export async function purgeSignIns(pool: Pool, realSeconds: number): Promise<boolean> {
  const purges: { name: string; text: string; endedBefore?: number }[] = [
    {
      name: 'purge_sessions',
      text: `
        delete from sessions
        where ctid = any(array(
          select session.ctid
          from sessions session
          left join users member on member.account_id = session.account_id and member.id = session.user_id
          where ${isHere('session.account_id')}
            and (
              session.expires_at <= $1
              or (
                session.created <= $1
                and (member.id is null or member.credentials_revision <> session.credentials_revision)
              )
            )
          limit ${purgedAtOnceMax}
          for update of session skip locked
        ))`,
    },
    {
      name: 'purge_one_time_links',
      text: `
        delete from one_time_links
        where ctid = any(array(
          select ctid
          from one_time_links
          where expires_at <= $1 and ${isHere('one_time_links.account_id')}
          limit ${purgedAtOnceMax}
          for update skip locked
        ))`,
    },
    {
      name: 'purge_sign_in_attempts',
      text: `
        delete from sign_in_attempts
        where ctid = any(array(
          select ctid
          from sign_in_attempts
          where since <= $1 and ${isHere('sign_in_attempts.account_id')}
          limit ${purgedAtOnceMax}
          for update skip locked
        ))`,
    },
    {
      name: 'purge_device_logins',
      text: `
        delete from device_logins
        where ctid = any(array(
          select ctid
          from device_logins
          where expires_at <= $1 and ${isHere('device_logins.account_id')}
          limit ${purgedAtOnceMax}
          for update skip locked
        ))`,
      endedBefore: realSeconds - keptWithSecretSeconds,
    },
    {
      name: 'purge_used_challenges',
      text: `
        delete from used_challenges
        where ctid = any(array(
          select ctid
          from used_challenges
          where expires_at <= $1 and ${isHere('used_challenges.account_id')}
          limit ${purgedAtOnceMax}
          for update skip locked
        ))`,
    },
  ];
  let more = false;
  for (const { endedBefore = realSeconds - keptSeconds, ...purge } of purges) {
    const { rowCount } = await pool.query({ ...purge, values: [endedBefore] });
    more ||= rowCount === purgedAtOnceMax;
  }
  return more;
}
