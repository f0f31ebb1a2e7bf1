import { Type, type Static, type TObject } from 'typebox';
import { invalidParameter } from '../core/errors.ts';
import { isLoopbackUrl } from '../core/addresses/loopback.ts';
import { isPlainUrl } from '../core/addresses/target-addresses.ts';
import type { Caller } from '../model/callers/caller.ts';
import { emailFields, noEmail, type EmailStatus, type EmailToSend } from '../model/email.ts';
import { LinkedId } from '../model/schemas/fields.ts';
import { portalFeatures, type PortalFeature } from '../model/callers/portal.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Related } from '../model/related.ts';
import { createFrom, defineResource, exactly, type Change } from '../model/resource.ts';
import { described, named, nullable, oneOf } from '../model/schemas/make.ts';
import { cached } from '../model/traits/cached.ts';
import { endsWith, type ChangeOf } from '../model/traits/ends-with.ts';
import { linksHere } from '../model/traits/links-here.ts';
import { opensData } from '../model/traits/opens-data.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a link can be opened, in seconds. */
const linkLifetimes = { least: 5 * minute, most: 7 * day, default: hour };

/** How long an opened session lasts at most, in seconds of real time. */
const sessionSeconds = 8 * hour;

/** How long it lasts without a request, in seconds. Uses are noted to the minute, so a session lasts at least an hour. */
const idleSeconds = hour + minute;

const Feature = named('PortalFeature', 'A part of the portal.', oneOf(...portalFeatures));
const Features = Type.Array(Feature, { minItems: 1, maxItems: portalFeatures.length, uniqueItems: true });
const Status = named(
  'PortalSessionStatus',
  'The status of a session of the portal.',
  oneOf('pending', 'active', 'ended'),
);

const aboutFeatures =
  'The parts of the portal that the person can use. `details`: contact details. `documents`: files. `applications`: applications. `money`: ledger, invoices, payments and deposits. `notice`: notices. `pets`: requests for pets.';
const aboutReturn =
  'The address of your page to which the portal leads back: https, or http on this machine. Null if there is none.';

const returnUrlLengthMax = 2_000;

const Time = nullable(Type.Integer());

/** The person that gets an e-mail. */
type Addressee = StoredRecord & { email: string | null };

export type PortalSessionRecord = StoredRecord & {
  customer: string;
  features: PortalFeature[];
  return_url: string | null;
  email_status: EmailStatus | null;
  email_failure: string | null;
  /** The address to which the link was sent. Null if it was not, or by an earlier release. */
  sent_to: string | null;
  link_hash: string;
  /** When the link expires, in seconds of real time. */
  expires_at: number;
  /** The hash of the token of the opened session. Null until the link is opened. */
  session_hash: string | null;
  opened_at: number | null;
  last_used_at?: number | null;
  ended_at: number | null;
  /** Only in a record that has just been made. */
  url?: Buffer;
};

const input = {
  customer: described(LinkedId, 'The id of the person: a customer of this API.'),
  features: Type.Optional(described(nullable(Features), `${aboutFeatures} By default all.`)),
  return_url: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: returnUrlLengthMax, description: aboutReturn })),
  ),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: linkLifetimes.least,
      maximum: linkLifetimes.most,
      description: `How long the link can be opened, in seconds: from five minutes to seven days. The default is ${linkLifetimes.default}, an hour.`,
    }),
  ),
  send_email: Type.Optional(
    nullable(
      Type.Boolean({
        description:
          'Whether the link is sent to the e-mail address of the person. By default it is not: hand the `url` over yourself.',
      }),
    ),
  ),
};
type Input = Static<TObject<typeof input>>;

/** A session of a person in the portal. Its link opens once. Only hashes of its tokens are stored, and its times are real. */
export const portalSession = defineResource<PortalSessionRecord>(
  {
    object: 'portal_session',
    prefix: 'psn',
    path: 'portal_sessions',
    table: 'portal_sessions',
    docs: {
      description:
        'A session of a person in the portal: an applicant, a tenant or a guarantor. Its link opens once. The session then lasts for an hour after the last request, and for eight hours at most. The person sees its own records only. The session ends with the erasure of the person. If the link was sent by e-mail, the session also ends with a change of the customer’s `email`.',
      example: {
        record: {
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          features: [...portalFeatures],
          return_url: 'https://northern-homes.example/tenants',
          email_status: 'sent',
          email_failure: null,
          expires_at: 1795324027,
          opened_at: 1795321044,
          ended_at: null,
          status: 'active',
          url: 'http://127.0.0.1:4000/portal#h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0',
          metadata: {},
        },
        after: {
          created: { opened_at: null, status: 'pending', email_status: 'queued' },
          ended: { ended_at: 1795322044, status: 'ended' },
        },
      },
    },
    metadata: true,
    links: { customer: 'customers' },
    verbs: {
      opened: 'The person has opened the link. The event has no actor.',
      ended:
        'It was ended: by you, by the person, by the erasure of the person, or by a change of the address to which its link was sent.',
    },
    fields: {
      customer: { column: 'text', schema: LinkedId, description: 'The id of the person: a customer of this API.' },
      features: { column: 'text[]', schema: Features, description: aboutFeatures },
      return_url: {
        column: 'text',
        schema: nullable(Type.String()),
        description: aboutReturn,
        erased: () => null,
      },
      ...emailFields,
      // The mail server's reason can quote the address.
      email_failure: { ...emailFields.email_failure, erased: () => null },
      sent_to: { column: 'text', schema: nullable(Type.String()), shown: 'never', erased: () => null },
      link_hash: { column: 'text', schema: Type.String({ maxLength: 100 }), shown: 'never' },
      expires_at: {
        column: 'bigint',
        schema: Type.Integer(),
        description:
          'When the link expires, in seconds since the Unix epoch. The clock of a sandbox does not move this time.',
      },
      session_hash: { column: 'text', schema: nullable(Type.String({ maxLength: 100 })), shown: 'never' },
      opened_at: {
        column: 'bigint',
        schema: Time,
        description: 'When the link was opened, in seconds since the Unix epoch. Null if it was not.',
      },
      last_used_at: { column: 'bigint', schema: Time, shown: 'never', maintainedBy: 'job' },
      ended_at: {
        column: 'bigint',
        schema: Time,
        description: 'When it was ended, in seconds since the Unix epoch. Null if it was not, or ended by time.',
      },
      status: {
        column: null,
        schema: Status,
        derive: (record, { realSeconds }) => statusOf(record as PortalSessionRecord, realSeconds),
        description:
          '`pending` until the link is opened, then `active`. `ended`: it was ended, its time is over, or the link has expired.',
      },
      url: {
        column: null,
        schema: Type.String(),
        shown: 'as_secret',
        description:
          'The link for the person. Only the response that creates the session has it. The token is behind the `#`, so no server logs it.',
      },
    },
    filters: exactly({ customer: LinkedId }),
    create: createFrom(input, make, {
      summary: 'Create a portal session',
      description:
        'Makes a link with which a person opens the portal once. The response has its `url`, which is never shown again. With `send_email`, the link is also sent to the person by e-mail, and `email_status` shows how that goes. No agent key can do this.',
      example: { customer: 'cus_0VbZq9aK00mT3cUuP8sXw4', send_email: true },
      reads: ['customer'],
      besides: (created, caller) => ({ emails: emailsOf(created, caller) }),
    }),
    actions: {
      end: {
        summary: 'End a portal session',
        description: 'Ends the session and its link at once. To end it again changes nothing.',
        decide: (current, { realSeconds }) => ended(current, realSeconds),
      },
    },
  },
  linksHere(['customer']),
  // Other processes may use a cached session for so long.
  cached(1_000),
  endsWith({
    of: 'customers',
    column: 'customer',
    concerns: ({ before, after }) => addressOf(before) !== addressOf(after),
    end: (current, _, caller) => endedByAddress(current as PortalSessionRecord, caller),
  }),
  opensData({
    link: 'customer',
    end: (current, nowSeconds) => endedByErasure(current as PortalSessionRecord, nowSeconds),
  }),
);

function make(sent: Input, caller: Caller, related: Related): Omit<PortalSessionRecord, keyof StoredRecord> {
  const { customer, features, return_url: returnUrl = null, expires_in: expiresIn, send_email: isSent } = sent;
  const sentTo = isSent ? requireEmail(related.one<Addressee>('customer'), caller) : null;
  const { url, hash } = caller.makeLink('portal');
  return {
    customer,
    // In the order of the docs.
    features: portalFeatures.filter((feature) => !features || features.includes(feature)),
    return_url: returnUrl === null ? null : requireReturnUrl(returnUrl),
    ...noEmail,
    email_status: isSent ? caller.firstEmailStatus : null,
    sent_to: sentTo,
    link_hash: hash,
    expires_at: caller.realSeconds + (expiresIn ?? linkLifetimes.default),
    session_hash: null,
    opened_at: null,
    ended_at: null,
    url,
  };
}

/**
 * Returns the address of a person.
 *
 * @throws {ApiError} `parameter_invalid` if no e-mail can be sent to the person.
 */
function requireEmail(person: Addressee | null, { firstEmailStatus }: Caller): string {
  if (firstEmailStatus === null)
    throw invalidParameter(
      'send_email',
      'This server sends no e-mails, because its operator has set no mail server. Leave `send_email` out, and hand the `url` over yourself.',
    );
  if (person?.email) return person.email;
  throw invalidParameter(
    'send_email',
    'The customer has no `email`. Update the customer first, or leave `send_email` out and hand the `url` over yourself.',
  );
}

/**
 * Returns the address of a page that the portal may lead to. Anything but a web page could run code in the portal.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
function requireReturnUrl(text: string): string {
  const url = isPlainUrl(text) ? URL.parse(text) : null;
  if (url && (url.protocol === 'https:' || isLoopbackUrl(url)) && url.username === '' && url.password === '')
    return text;
  throw invalidParameter(
    'return_url',
    '`return_url` must be a complete address such as https://example.com/tenants, without a user name. Only this machine may use http.',
  );
}

/** Returns the e-mail with a new link, if one was asked for. */
function emailsOf(created: PortalSessionRecord, { account, realSeconds }: Caller): EmailToSend[] {
  const { sent_to: to } = created;
  if (to === null) return [];
  return [
    {
      kind: 'portal_session',
      about: created.id,
      mentions: [created.customer],
      audience: 'renter',
      to,
      link: created.url!,
      expiresAt: created.expires_at,
      texts: {
        subject: `${account.name}: your page`,
        paragraphs: [
          `${account.name} has made a link to your own page for you. There you see your ${partsOf(created.features)}.`,
          `The link opens once, within ${spanOf(created.expires_at - realSeconds)}. You need no account and no password.`,
        ],
        button: 'Open my page',
        notes: ['The link is for you alone. Do not pass this e-mail on.'],
      },
    },
  ];
}

/** Returns what a person sees by a link: "details, applications and tenancies". */
function partsOf(features: readonly string[]): string {
  const has = (...names: string[]): boolean => names.some((name) => features.includes(name));
  const parts = [
    has('details') && 'details',
    has('documents') && 'documents',
    has('applications') && 'applications',
    has('money', 'notice', 'pets') && 'tenancies',
    has('money') && 'payments',
  ].filter((part) => part !== false);
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(parts);
}

/** Returns a time in words, such as `60 minutes` or `3 days`. */
function spanOf(seconds: number): string {
  if (seconds < 2 * hour) return `${Math.round(seconds / minute)} minutes`;
  return seconds < 2 * day ? `${Math.round(seconds / hour)} hours` : `${Math.round(seconds / day)} days`;
}

/** Returns the status. Real time decides about the end, as it does when the session is used. */
export function statusOf(
  current: Pick<PortalSessionRecord, 'opened_at' | 'ended_at' | 'expires_at' | 'last_used_at'>,
  realSeconds: number,
): 'pending' | 'active' | 'ended' {
  if (current.ended_at !== null) return 'ended';
  if (current.opened_at === null) return current.expires_at <= realSeconds ? 'ended' : 'pending';
  return endsAt({ ...current, opened_at: current.opened_at }) <= realSeconds ? 'ended' : 'active';
}

/** Returns when an opened session ends by time, if no further request comes. In seconds of real time. */
export function endsAt({
  opened_at: openedAt,
  last_used_at: usedAt,
}: {
  opened_at: number;
  last_used_at?: number | null;
}): number {
  return Math.min(lastsUntil(openedAt), Math.max(usedAt ?? 0, openedAt) + idleSeconds);
}

/** Returns when a session that was opened at this time ends at the latest. In seconds of real time. */
export function lastsUntil(openedAt: number): number {
  return openedAt + sessionSeconds;
}

/** Opens a session. The link is then spent. */
export function opened(
  current: PortalSessionRecord,
  sessionHash: string,
  realSeconds: number,
): Pick<Change<PortalSessionRecord>, 'after' | 'verbs'> {
  return { after: { ...current, session_hash: sessionHash, opened_at: realSeconds }, verbs: ['opened'] };
}

/** Ends a session, or its link. */
export function ended(
  current: PortalSessionRecord,
  realSeconds: number,
): Pick<Change<PortalSessionRecord>, 'after' | 'verbs'> {
  if (current.ended_at !== null) return { after: current };
  return { after: { ...current, ended_at: realSeconds }, verbs: ['ended'] };
}

function addressOf(person: ChangeOf['after']): string | null {
  return (person as Addressee | null)?.email ?? null;
}

/**
 * Returns whether the link of a session was sent to an address that its person does not have any more. Another process can make such a
 * session between the decision and the commit of the change that ends those.
 */
export function isOfEarlierAddress({ sent_to: sentTo }: PortalSessionRecord, person: Addressee): boolean {
  return sentTo !== null && sentTo !== person.email;
}

/** Ends a session whose link was sent to an earlier address, because that may be the address of a stranger. */
function endedByAddress(
  current: PortalSessionRecord,
  { realSeconds }: Caller,
): Pick<Change<PortalSessionRecord>, 'after' | 'verbs'> | null {
  if (current.email_status === null || statusOf(current, realSeconds) === 'ended') return null;
  return ended(current, realSeconds);
}

/** The erasure also deletes an e-mail that has not left, so it will not be sent. */
function endedByErasure(
  current: PortalSessionRecord,
  atSeconds: number,
): Pick<Change<PortalSessionRecord>, 'after' | 'verbs'> {
  const { after, verbs } = ended(current, atSeconds);
  const shown = after.email_status === 'queued' ? { ...after, email_status: 'failed' as const } : after;
  return { after: shown, ...(verbs && { verbs }) };
}
