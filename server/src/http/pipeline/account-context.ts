import { ApiError } from '../../core/errors.ts';
import { toDecision } from '../../model/change.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import { isId } from '../../core/ids.ts';
import type { Gateway } from '../../core/vocabulary/gateways.ts';
import type { Rules } from '../../core/vocabulary/law-rules.ts';
import type { Provider } from '../../core/vocabulary/providers.ts';
import { awayMessage, awayOf } from '../../db/away.ts';
import { TtlCache } from '../../db/ttl-cache.ts';
import type { Reader } from '../../db/reader.ts';
import type { ApiRequest, AuthenticatedRequest, PinnedAccount } from '../request.ts';
import type { HttpContext, Accounts } from '../context.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { AccountFacts } from '../request.ts';
import { findKnown } from '../../core/arrays.ts';

/** How long a process may use a cached account, in milliseconds. See the trait `cached` of accounts. */
const ageMaxMs = 1_000;

/** The parts of the context that are needed to read an account and to pin it. */
export type AccountContext = Pick<HttpContext, 'accounts' | 'resources' | 'committer' | 'readRecord' | 'config'>;

/** @param maxMs the maximum age of an entry. */
export function openAccounts(reader: Reader, maxMs = ageMaxMs): Accounts {
  return new TtlCache(maxMs, (ids) => readAccounts(reader, ids));
}

/**
 * Returns the account that a request acts on: the one in `Service-Context`, else the key's own. A key acts for its own account and for
 * accounts connected to it.
 *
 * @throws {ApiError} `request_invalid` or `account_invalid`. An unknown account and one that is not connected get the same error.
 */
export async function chooseAccount(context: AccountContext, request: AuthenticatedRequest): Promise<PinnedAccount> {
  // A session of the portal belongs to one account.
  const named = request.principal.renter ? undefined : onlyHeaderOf(request.incoming, 'Service-Context');
  const wanted = named ?? request.principal.accountId;
  if (isId('acct', wanted)) return requireAccount(context, request, wanted);
  throw new ApiError('account_invalid', '`Service-Context` must be an account id, such as `acct_…`.', {
    status: 400,
    type: 'invalid_request_error',
  });
}

/**
 * Returns an account that the request may act on: its own, or one connected to it.
 *
 * @throws {ApiError} `account_invalid`.
 */
export async function requireAccount(
  context: AccountContext,
  request: AuthenticatedRequest,
  wanted: string,
): Promise<PinnedAccount> {
  const ownAccountId = request.principal.accountId;
  const found = await context.accounts.get(wanted);
  if (found && (wanted === ownAccountId || found.parentId === ownAccountId)) return pinned(context, request, found);
  throw new ApiError(
    'account_invalid',
    `The account ${wanted} does not exist, or is not connected to the account of this key.`,
  );
}

/**
 * Refuses requests for the own account only, while they act on a connected one. A key reaches only accounts directly connected to its own,
 * so it cannot make accounts below those. And a connected account has no team.
 *
 * @throws {ApiError} `account_invalid` with status 400.
 */
export function requireOwnAccount({ route, principal, accountId }: ApiRequest): void {
  if (!route.ownAccountOnly || accountId === principal.accountId) return;
  throw new ApiError(
    'account_invalid',
    `\`Service-Context\` names the connected account ${accountId}. This works only for your own account. Leave \`Service-Context\` out, or use a key of ${accountId}.`,
    { status: 400, type: 'invalid_request_error' },
  );
}

/**
 * Returns the account, and pins it to the latest version at its first request (spec, versioning). Refused requests count, and requests of
 * its parent's keys too. Only a person's GET does not. The system makes this change like any other change of the account.
 *
 * @throws {ApiError} `unavailable` if the account is in another cell, or on its way.
 */
export async function pinned(
  context: AccountContext,
  request: AuthenticatedRequest,
  facts: AccountFacts,
): Promise<PinnedAccount> {
  refuseAway(facts);
  if (isPinned(facts)) return facts;
  // To look at an account in the dashboard must not choose the version of its programs.
  if (request.principal.person && request.incoming.method === 'GET')
    return { ...facts, apiVersion: request.versionsServed[0] };
  const { resources, committer, readRecord, accounts, config } = context;
  const account = findKnown(resources, (resource) => ownAccount.has(resource));
  const wanted = config.latestVersion ?? request.versionsServed[0];
  const version = request.versionsServed.includes(wanted) ? wanted : request.versionsServed[0];
  await committer.commitAsSystem({
    accountId: facts.id,
    locks: [facts.id],
    async decide() {
      const record = (await readRecord(account, facts.id, facts.id))!;
      const { changes } = toDecision(account, record, { after: ownAccount.of(account)!.pin(record, version) });
      return { changes };
    },
  });
  // A concurrent request may have pinned it first.
  const now = await accounts.getAnew(facts.id);
  if (now && isPinned(now)) return now;
  throw new Error(`Bug! The account ${facts.id} was not pinned.`);
}

/**
 * Refuses requests for an account that moves to another cell, or has moved.
 *
 * @throws {ApiError} `unavailable`. Clients retry until their router knows the new cell.
 */
export function refuseAway(account: Pick<AccountFacts, 'id' | 'away'> | null): void {
  if (!account || account.away === null) return;
  throw new ApiError('unavailable', awayMessage(`The account ${account.id}`, account.away), { retryAfterSeconds: 1 });
}

function isPinned(facts: AccountFacts): facts is PinnedAccount {
  return facts.apiVersion !== null;
}

async function readAccounts(reader: Reader, ids: string[]): Promise<(AccountFacts | null)[]> {
  const rows = await reader.query<{
    id: string;
    name: string;
    reply_to: string | null;
    parent: string | null;
    root: string;
    api_version: string | null;
    default_provider: Provider | null;
    providers_with_credentials: string[];
    linked_records: 'open' | 'strict';
    time_zone: string;
    rules: string;
    invoice_prefix: string;
    payment_provider: Gateway | null;
    away: string | null;
  }>({
    name: 'read_account_facts',
    text: `
      with recursive line as (
        select id as of, id, parent
        from accounts
        where account_id = any($1) and id = account_id
        union all
        select line.of, above.id, above.parent
        from line
        join accounts above on above.account_id = line.parent and above.id = line.parent
      )
      select account.id, account.name, account.letterhead::jsonb ->> 'email' as reply_to, account.parent, line.id as root, account.api_version, account.default_provider, account.linked_records,
        account.time_zone, account.rules, account.invoice_prefix, account.payment_provider, ${awayOf('account.account_id')} as away,
        array(select json_object_keys(account.provider_credentials::json)) as providers_with_credentials
      from accounts account
      join line on line.of = account.id and line.parent is null
      where account.account_id = any($1) and account.id = account.account_id`,
    values: [ids],
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    if (!row) return null;
    return {
      id: row.id,
      name: row.name,
      replyTo: row.reply_to,
      parentId: row.parent,
      rootId: row.root,
      apiVersion: row.api_version,
      defaultProvider: row.default_provider,
      providersWithCredentials: row.providers_with_credentials,
      linkedRecords: row.linked_records,
      timeZone: row.time_zone,
      invoicePrefix: row.invoice_prefix,
      paymentProvider: row.payment_provider,
      away: row.away,
      rules: JSON.parse(row.rules) as Rules,
    };
  });
}
