import type { IdMaker } from '../core/ids.ts';
import type { RandomBytes } from '../core/random.ts';
import { hashToken, makeLinkToken } from '../core/secrets/tokens.ts';
import type { LinkPage } from '../model/callers/caller.ts';
import { newRecord } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import { oneTimeLink, type LinkPurpose, type OneTimeLinkRecord } from '../resources/people/one-time-link.ts';
import type { UserRecord } from '../resources/people/user.ts';

/** How long a one-time link works, in seconds. */
const lifetime = 3600;

/** Returns the URL of a link. The token is in the fragment, which no server and no log sees. */
export function linkUrl(publicUrl: string, page: LinkPage, token: string): string {
  return `${publicUrl}/${page}#${token}`;
}

/**
 * Makes a one-time link. Its URL is shown once.
 *
 * @param link.user the user that it signs in, as it is now. Null for the first owner.
 * @param link.madeBy the user that made it. Null for an operator.
 */
export function newLink(
  context: { ids: IdMaker; randomBytes: RandomBytes; config: { publicUrl: string }; realSeconds: number },
  link: { accountId: string; purpose: LinkPurpose; user: UserRecord | null; madeBy: UserRecord | null },
): { url: string; expiresAt: number; change: RecordChange } {
  const token = makeLinkToken(context.randomBytes);
  const expiresAt = context.realSeconds + lifetime;
  const record: OneTimeLinkRecord = {
    ...newRecord(context.ids.make('otl'), link.accountId),
    purpose: link.purpose,
    user_id: link.user?.id ?? null,
    made_by: link.madeBy?.id ?? null,
    credentials_revision: link.user?.credentials_revision ?? null,
    token_hash: hashToken(token),
    expires_at: expiresAt,
    used_at: null,
  };
  const change = { resource: oneTimeLink, before: null, after: record };
  return { url: linkUrl(context.config.publicUrl, 'dashboard/link', token), expiresAt, change };
}
