import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { emailFields, noEmail, type EmailStatus, type EmailToSend } from '../../model/email.ts';
import { mayHandle, RoleName, type Role } from '../../model/callers/roles.ts';
import type { StoredRecord } from '../../model/record.ts';
import { createFrom, defineResource, type Change } from '../../model/resource.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { endsWith, type ChangeOf } from '../../model/traits/ends-with.ts';
import { forPersonsOnly } from '../../model/traits/for-persons-only.ts';
import { limited } from '../../model/traits/limited.ts';
import { supersedes } from '../../model/traits/supersedes.ts';
import { requireHandling, type UserRecord } from './user.ts';

/** How long an invitation can be accepted, in seconds. */
const lifetime = 7 * 24 * 3600;

const Status = named(
  'InvitationStatus',
  'The status of an invitation.',
  oneOf('pending', 'accepted', 'revoked', 'expired'),
);

export type InvitationRecord = StoredRecord & {
  email: string;
  role: Role;
  invited_by: string | null;
  token_hash: string;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
  email_status: EmailStatus | null;
  email_failure: string | null;
  /** Only in a record that has just been made. */
  url?: Buffer;
};

/** An invitation to an account's team. Its link makes the user, once. */
export const invitation = defineResource<InvitationRecord>(
  {
    object: 'invitation',
    prefix: 'inv',
    path: 'invitations',
    table: 'invitations',
    docs: {
      description:
        'An invitation to the account’s team. The server shows its `url` only once. If the operator has set up e-mail, the server also sends the link to the person. The invited person opens it, chooses a password, and is signed in. No API key reads or makes invitations.',
      example: {
        record: {
          email: 'grace@northern-homes.example',
          role: 'viewer',
          invited_by: 'usr_0VbZq7hM00eR5tBvNx1Zs9',
          expires_at: 1795842427,
          status: 'pending',
          email_status: 'queued',
          email_failure: null,
          url: 'http://127.0.0.1:4000/dashboard/link#h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0',
        },
        after: {
          accepted: { status: 'accepted', email_status: 'sent' },
          revoked: { status: 'revoked', email_status: 'sent' },
        },
      },
    },
    links: { invited_by: 'users' },
    verbs: {
      accepted: 'The invited person has become a user, which has its own `user.created`.',
      revoked: 'It was revoked, and its link is no longer valid.',
    },
    fields: {
      email: { column: 'text', schema: Type.String(), description: 'The e-mail address of the invited person.' },
      role: { column: 'text', schema: RoleName, description: 'The role that the person gets.' },
      invited_by: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'The user that invited the person. If that user is deleted or disabled, the invitation is void.',
      },
      token_hash: { column: 'text', schema: Type.String({ maxLength: 100 }), shown: 'never' },
      expires_at: {
        column: 'bigint',
        schema: Type.Integer(),
        description:
          'When it expires, in seconds since the Unix epoch: seven days after it was made. The clock of a sandbox does not move this time.',
      },
      accepted_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      revoked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      status: {
        column: null,
        schema: Status,
        derive: (record, { realSeconds }) => statusOf(record as InvitationRecord, realSeconds),
        description: '`pending`, `accepted`, `revoked` (also by a newer invitation of the address) or `expired`.',
      },
      ...emailFields,
      url: {
        column: null,
        schema: Type.String(),
        shown: 'as_secret',
        description: 'The link for the invited person. Only the response that creates the invitation has it.',
      },
    },
    create: createFrom(
      {
        email: Type.String({ maxLength: 254, format: 'email', description: 'The e-mail address of the person.' }),
        role: described(RoleName, 'The role that the person gets, at most your own.'),
      },
      (input, caller) => {
        requireHandling(caller, input.role);
        const { url, hash } = caller.makeLink('dashboard/link');
        return {
          email: input.email,
          role: input.role,
          invited_by: caller.person!.id,
          token_hash: hash,
          expires_at: caller.realSeconds + lifetime,
          accepted_at: null,
          revoked_at: null,
          ...noEmail,
          email_status: caller.firstEmailStatus,
          url,
        };
      },
      {
        summary: 'Invite a person',
        description:
          'Invites a person to the account’s team. The response has the `url` of the link, which is never shown again. If `email_status` is null, hand the link over yourself. A newer invitation of the same address revokes this one.',
        example: { email: 'grace@northern-homes.example', role: 'viewer' },
        besides: (created, caller) => ({ emails: [emailOf(created, caller)] }),
        refusals: ['reauthentication_required', 'person_required'],
      },
    ),
    delete: {
      summary: 'Revoke an invitation',
      description: 'Revokes the invitation, so that its link does nothing. It stays in the list.',
      refusals: ['reauthentication_required', 'person_required', 'status_transition_invalid'],
      decide: revoke,
    },
  },
  forPersonsOnly(),
  limited(1_000),
  supersedes({
    column: 'email',
    end: (earlier, caller) => superseded(earlier as InvitationRecord, caller),
  }),
  endsWith({
    of: 'users',
    column: 'invited_by',
    end: (made, change, caller) => endWithInviter(made as InvitationRecord, change, caller),
  }),
);

/** Returns the e-mail with the link of a new invitation. */
function emailOf({ id, email, role, url, expires_at }: InvitationRecord, { account, actorName }: Caller): EmailToSend {
  const inviter = actorName ?? 'A member of the team';
  return {
    kind: 'invitation',
    about: id,
    audience: role === 'owner' ? 'owners' : 'team',
    to: email,
    link: url!,
    expiresAt: expires_at,
    texts: {
      subject: `Join the team of ${account.name}`,
      paragraphs: [
        `${inviter} invites you to the team of ${account.name} in Tenure. Your role is ${role}.`,
        'Open the link, choose a password, and you are signed in. The link works once, for seven days.',
      ],
      button: 'Accept the invitation',
      notes: ['If you do not expect this invitation, you need not do anything.'],
    },
  };
}

/** Returns the status. The world's clock decides about the expiry, as it does when the link is used. */
export function statusOf(
  { accepted_at, revoked_at, expires_at }: InvitationRecord,
  realSeconds: number,
): 'pending' | 'accepted' | 'revoked' | 'expired' {
  if (accepted_at !== null) return 'accepted';
  if (revoked_at !== null) return 'revoked';
  return expires_at <= realSeconds ? 'expired' : 'pending';
}

function revoke(current: InvitationRecord, caller: Caller): Change<InvitationRecord> {
  requireHandling(caller, current.role);
  if (current.revoked_at !== null) return { after: current };
  if (current.accepted_at !== null)
    throw new ApiError(
      'status_transition_invalid',
      `The invitation ${current.id} was accepted, so it cannot be revoked. Disable or delete the user instead.`,
    );
  return { after: { ...current, revoked_at: caller.realSeconds }, verbs: ['revoked'] };
}

/** @throws {ApiError} `permission_denied` if the earlier invitation gives a role that the person may not handle. */
function superseded(earlier: InvitationRecord, caller: Caller): Change<InvitationRecord> | null {
  if (statusOf(earlier, caller.realSeconds) !== 'pending') return null;
  requireHandling(caller, earlier.role);
  return { after: { ...earlier, revoked_at: caller.realSeconds }, verbs: ['revoked'] };
}

/**
 * Revokes an open invitation if its inviter is deleted, or may no longer give the role. One that the inviter could not make before ends,
 * too. Another process made it between the decision and the commit of an earlier change.
 */
function endWithInviter(
  open: InvitationRecord,
  { before, after }: ChangeOf,
  caller: Caller,
): Change<InvitationRecord> | null {
  const mayGive = [before, after].every((each) => {
    const inviter = each as UserRecord | null;
    return inviter?.status === 'active' && mayHandle(inviter.role, open.role);
  });
  if (mayGive || statusOf(open, caller.realSeconds) !== 'pending') return null;
  return { after: { ...open, revoked_at: caller.realSeconds }, verbs: ['revoked'] };
}
