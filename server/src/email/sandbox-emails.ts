import type { Encryption } from '../core/secrets/encryption.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { Without } from '../db/list-query.ts';
import type { EmailAudience } from '../model/email.ts';
import type { Principal } from '../model/callers/principal.ts';
import type { StoredRecord } from '../model/record.ts';
import { email, type EmailRecord } from '../resources/email.ts';
import { openEmail } from './queue.ts';

/** The kind of the e-mails that a sandbox keeps. */
export const sandboxEmail = email;

/**
 * Returns the e-mails whose links would give a principal more rights than it has. Null if it may read all.
 *
 * @param isConfirmed whether the person has confirmed its identity of late. Else the links of the team stay hidden, as other secrets do.
 */
export function emailsHiddenFrom(
  { person, permissions }: Pick<Principal, 'person' | 'permissions'>,
  isConfirmed: boolean,
): Without | null {
  const role = isConfirmed ? person?.role : null;
  if (role === 'owner') return null;
  const beginnings: EmailAudience[] = role === 'admin' ? ['owners'] : ['owners', 'team'];
  // A link to the portal acts as the renter.
  if (!permissions.has('portal_sessions.write')) beginnings.push('renter');
  return { column: 'audience', beginnings };
}

/** Returns a kept e-mail as its recipient would read it. */
export function shownEmail(record: StoredRecord, encryption: Encryption): JsonObject {
  const kept = record as EmailRecord;
  const { from, replyTo, subject, text, html, link } = openEmail(kept, encryption);
  return {
    id: kept.id,
    object: email.object,
    created: kept.created,
    kind: kept.kind,
    about: kept.about,
    to: kept.recipient,
    from,
    reply_to: replyTo,
    subject,
    text,
    html,
    link,
  };
}
