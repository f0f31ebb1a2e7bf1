import { awayOf } from '../../db/away.ts';
import type { Reader } from '../../db/reader.ts';
import { refuseAway } from '../pipeline/account-context.ts';

/**
 * Finds the link with a token, in any account.
 *
 * @throws {ApiError} `unavailable` if its account is in another cell: the link may have been revoked there.
 */
export async function findFileLink(
  reader: Reader,
  tokenHash: string,
): Promise<{ id: string; accountId: string } | null> {
  const [row] = await reader.query<{ id: string; account_id: string; away: string | null }>({
    name: 'find_file_link',
    text: `select id, account_id, ${awayOf('file_links.account_id')} as away from file_links where token_hash = $1`,
    values: [tokenHash],
  });
  if (row) refuseAway({ id: row.account_id, away: row.away });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

/** Returns the id of the newest reference whose report is this file. Null if there is none. Erased ones do not count. */
export async function readReferenceOf(reader: Reader, accountId: string, fileId: string): Promise<string | null> {
  const [row] = await reader.query<{ id: string }>({
    name: 'find_reference_of_report',
    text: `
      select id
      from tenant_references
      where account_id = $1 and reference_pdf = $2 and deleted_at is null
      order by id desc
      limit 1`,
    values: [accountId, fileId],
  });
  return row?.id ?? null;
}
