import { Type } from 'typebox';
import { invalidParameter } from '../../core/errors.ts';
import { emailFields, noEmail, type EmailStatus, type EmailToSend } from '../../model/email.ts';
import { newRecord } from '../../model/change.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { LinkedId, SingleLine, StoredLine } from '../../model/schemas/fields.ts';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource, exactly, type Change } from '../../model/resource.ts';
import { endsWith } from '../../model/traits/ends-with.ts';
import { opensData } from '../../model/traits/opens-data.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';

const hour = 3600;
const day = 24 * hour;

/** How long a link can be opened, in seconds. */
const lifetimes = { least: hour, most: 30 * day, default: 7 * day };

const Status = named('FileLinkStatus', 'The status of a link to a file.', oneOf('active', 'revoked', 'expired'));

const recipientEmail = 'The address to which the link is sent by e-mail.';

const recipient = 'The person that gets the link, in your own words, such as `Mr Okafor, landlord`.';

export type FileLinkRecord = StoredRecord & {
  file: string;
  recipient: string | null;
  recipient_email: string | null;
  email_status: EmailStatus | null;
  email_failure: string | null;
  token_hash: string;
  expires_at: number;
  opened_at: number | null;
  open_count: number;
  revoked_at: number | null;
  /** Only in a record that has just been made. */
  url?: Buffer;
};

/** A link with which a person without an account opens one file. Only the hash of its token is stored. */
export const fileLink = defineResource<FileLinkRecord>(
  {
    object: 'file_link',
    prefix: 'fln',
    path: 'file_links',
    table: 'file_links',
    docs: {
      description:
        'A link to one file, for a person without an account. For example, a landlord reads the report of an applicant. `POST /v1/files/{id}/links` makes it. Its page says what was found, and has the file. The link stops working when it expires or is revoked, or when the file is deleted. An erasure can also delete the file.',
      example: {
        record: {
          file: 'file_0VbZrD2W00aY9fTmLp4Kc7',
          recipient: 'Mr Okafor, landlord',
          recipient_email: 'okafor@example.com',
          email_status: 'sent',
          email_failure: null,
          expires_at: 1795842427,
          status: 'active',
          opened_at: 1795241044,
          open_count: 2,
          url: 'http://127.0.0.1:4000/links#h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0',
        },
        before: { opened_at: null, open_count: 0 },
        after: {
          created: { opened_at: null, open_count: 0, email_status: 'queued' },
          revoked: { status: 'revoked' },
        },
      },
    },
    links: { file: 'files' },
    verbs: {
      created: 'A link to a file was made.',
      opened: 'A person has opened the file by the link. The event has no actor.',
      revoked: 'It was revoked, or its file was deleted. It opens nothing any more.',
    },
    fields: {
      file: { column: 'text', schema: LinkedId, description: 'The id of the file that it opens.' },
      recipient: {
        column: 'text',
        schema: nullable(StoredLine),
        description: `${recipient} Null if you sent none, and after the erasure of the file’s person.`,
        erased: () => null,
      },
      recipient_email: {
        column: 'text',
        schema: nullable(Type.String()),
        description: `${recipientEmail} Null if you sent none, and after the erasure of the file’s person.`,
        erased: () => null,
      },
      ...emailFields,
      // The mail server's reason can quote the address.
      email_failure: { ...emailFields.email_failure, erased: () => null },
      token_hash: { column: 'text', schema: Type.String({ maxLength: 100 }), shown: 'never' },
      expires_at: {
        column: 'bigint',
        schema: Type.Integer(),
        description:
          'When it expires, in seconds since the Unix epoch. The clock of a sandbox does not move this time.',
      },
      opened_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When it was opened last, in seconds since the Unix epoch. Null if it was never opened.',
      },
      open_count: {
        column: 'integer',
        schema: Type.Integer(),
        description: 'How often it was opened. A preview of the page does not count: a person presses a button.',
      },
      revoked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      status: {
        column: null,
        schema: Status,
        derive: (record, { realSeconds }) => statusOf(record as FileLinkRecord, realSeconds),
        description:
          '`active`: it opens the file. `revoked`: you have ended it, or the file was deleted. `expired`: its time is over.',
      },
      url: {
        column: null,
        schema: Type.String(),
        shown: 'as_secret',
        description:
          'The link for the recipient. Only the response that makes the link has it. The token is behind the `#`, so no server logs it.',
      },
    },
    filters: exactly({ file: LinkedId }),
    actions: {
      revoke: {
        summary: 'Revoke a link to a file',
        description: 'Ends the link: it opens nothing any more. To revoke it again changes nothing.',
        decide: revoke,
      },
    },
  },
  endsWith({
    of: 'files',
    column: 'file',
    concerns: ({ after }) => after === null,
    end: (current, _, caller) => endedByDeletion(current as FileLinkRecord, caller),
  }),
  opensData({ link: 'file', end: (current, nowSeconds) => endedByErasure(current as FileLinkRecord, nowSeconds) }),
);

/** What a client chooses about a new link. */
export const linkInput = {
  expires_in: Type.Optional(
    Type.Integer({
      minimum: lifetimes.least,
      maximum: lifetimes.most,
      description: `How long the link can be opened, in seconds: from an hour to thirty days. The default is ${lifetimes.default}, seven days.`,
    }),
  ),
  recipient: Type.Optional(described(nullable(SingleLine), recipient)),
  recipient_email: Type.Optional(
    nullable(
      Type.String({
        maxLength: 254,
        format: 'email',
        description: `${recipientEmail} If you leave it out, hand the \`url\` over yourself.`,
      }),
    ),
  ),
};

/** Returns the e-mail with a new link, if it has the address of its recipient. */
export function emailOf(
  { id, file, recipient_email: to, url, expires_at: expiresAt }: FileLinkRecord,
  filename: string,
  { account, realSeconds }: Caller,
): EmailToSend[] {
  if (to === null) return [];
  const hours = Math.round((expiresAt - realSeconds) / hour);
  const time = hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.floor(hours / 24)} days`;
  return [
    {
      kind: 'file_link',
      about: id,
      mentions: [file],
      audience: 'office',
      to,
      link: url!,
      expiresAt,
      texts: {
        subject: `${account.name} has sent you a document`,
        paragraphs: [
          `${account.name} has sent you a document: ${filename}.`,
          `Open the link to read it. You need no account. The link works for ${time}.`,
        ],
        button: 'Open the document',
        notes: ['Do not pass this e-mail on: each person with the link can open the document.'],
      },
    },
  ];
}

/** Returns a new link to a file, with its secret. */
export function newFileLink(
  { id: file, account_id: accountId }: StoredRecord,
  caller: Caller,
  {
    expires_in: expiresIn = lifetimes.default,
    recipient: name = null,
    recipient_email: address = null,
  }: { expires_in?: number; recipient?: string | null; recipient_email?: string | null },
): FileLinkRecord {
  if (address !== null && caller.firstEmailStatus === null)
    throw invalidParameter(
      'recipient_email',
      'This server sends no e-mails, because its operator has set no mail server. Leave `recipient_email` out, and hand the `url` over yourself.',
    );
  const { url, hash } = caller.makeLink('links');
  return {
    ...newRecord(caller.makeId(fileLink.prefix), accountId),
    file,
    recipient: name,
    recipient_email: address,
    ...noEmail,
    email_status: address === null ? null : caller.firstEmailStatus,
    token_hash: hash,
    expires_at: caller.realSeconds + expiresIn,
    opened_at: null,
    open_count: 0,
    revoked_at: null,
    url,
  };
}

/** Returns the status. The world's clock decides about the expiry, as it does when the link is opened. */
export function statusOf(
  { revoked_at, expires_at }: FileLinkRecord,
  realSeconds: number,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at <= realSeconds ? 'expired' : 'active';
}

/** Returns the link after a person has opened its file. */
export function opened(current: FileLinkRecord, realSeconds: number): FileLinkRecord {
  return { ...current, opened_at: realSeconds, open_count: current.open_count + 1, revision: current.revision + 1 };
}

function revoke(current: FileLinkRecord, { realSeconds }: Caller): Change<FileLinkRecord> {
  return revokedAt(current, realSeconds);
}

function endedByDeletion(current: FileLinkRecord, { realSeconds }: Caller): Change<FileLinkRecord> | null {
  return statusOf(current, realSeconds) === 'active' ? revokedAt(current, realSeconds) : null;
}

/** The erasure also deletes an e-mail that has not left, so it will not be sent. */
function endedByErasure(current: FileLinkRecord, atSeconds: number): Pick<Change<FileLinkRecord>, 'after' | 'verbs'> {
  const { after, verbs } = revokedAt(current, atSeconds);
  if (after.email_status !== 'queued') return { after, ...(verbs && { verbs }) };
  return { after: { ...after, email_status: 'failed' }, ...(verbs && { verbs }) };
}

function revokedAt(current: FileLinkRecord, atSeconds: number): Pick<Change<FileLinkRecord>, 'after' | 'verbs'> {
  if (current.revoked_at !== null) return { after: current };
  return { after: { ...current, revoked_at: atSeconds }, verbs: ['revoked'] };
}
