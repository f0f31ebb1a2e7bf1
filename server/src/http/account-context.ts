import { ApiError } from '../core/errors.ts';
import { isId } from '../core/ids.ts';
import type { Provider } from '../core/providers.ts';
import { Fresh } from '../db/fresh.ts';
import type { Reader } from '../db/reader.ts';

/** What requests need to know of an account. */
export interface AccountFacts {
  id: string;
  parentId: string | null;
  apiVersion: string | null;
  defaultProvider: Provider | null;
  linkedRecords: 'open' | 'strict';
}

/** What one process may still believe of an account that another one has changed; see `staleForMs` of accounts. */
const ageMaxMs = 1_000;

/** Accounts by their id. */
export type Accounts = Fresh<AccountFacts>;

export function openAccounts(reader: Reader): Accounts {
  return new Fresh(ageMaxMs, (ids) => readAccounts(reader, ids));
}

/**
 * The account a request acts on: the one `Service-Context` names, else the key's own. A key acts for its own account and for
 * those connected to it.
 *
 * @throws {ApiError} `account_invalid`; an unknown account and one that is not connected get the same answer.
 */
export async function chooseAccount(
  header: string | undefined,
  ownAccountId: string,
  accounts: Accounts,
): Promise<AccountFacts> {
  const wanted = header ?? ownAccountId;
  if (!isId('acct', wanted)) {
    throw new ApiError('account_invalid', '`Service-Context` must be an account id, such as `acct_…`.', {
      status: 400,
      type: 'invalid_request_error',
    });
  }
  const found = await accounts.get(wanted);
  if (found && (wanted === ownAccountId || found.parentId === ownAccountId)) return found;
  throw new ApiError(
    'account_invalid',
    `The account ${wanted} does not exist, or is not connected to the account of this key.`,
  );
}

async function readAccounts(reader: Reader, ids: string[]): Promise<(AccountFacts | null)[]> {
  const rows = await reader.query<{
    id: string;
    parent: string | null;
    api_version: string | null;
    default_provider: Provider | null;
    linked_records: 'open' | 'strict';
  }>({
    name: 'read_account_facts',
    text: `
      select id, parent, api_version, default_provider, linked_records
      from accounts
      where account_id = any($1) and id = account_id`,
    values: [ids],
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    if (!row) return null;
    return {
      id: row.id,
      parentId: row.parent,
      apiVersion: row.api_version,
      defaultProvider: row.default_provider,
      linkedRecords: row.linked_records,
    };
  });
}
