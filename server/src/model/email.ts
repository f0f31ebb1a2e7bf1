import { Type } from 'typebox';
import { described, named, nullable, oneOf } from './schemas/make.ts';

export type EmailStatus = 'queued' | 'sent' | 'failed' | 'kept';

/** The kinds of e-mail. */
export const emailKinds = ['invitation', 'password_link', 'file_link', 'portal_session', 'workflow'] as const;

export type EmailKind = (typeof emailKinds)[number];

/**
 * The readers of an e-mail that a sandbox keeps. Its link gives rights, so its readers must be able to give them. The word `office` stands
 * for each key and person that may read contents of files. The word `team` stands for owners and admins. The word `renter` stands for the
 * office without agent keys, because the link acts for a person.
 */
export type EmailAudience = 'office' | 'renter' | 'team' | 'owners';

/** The texts of an e-mail. The template makes the plain text and the HTML of them. Each is one line or one paragraph. */
export interface EmailTexts {
  subject: string;
  paragraphs: readonly string[];
  /** The text of the link. Left out of an e-mail without one. */
  button?: string;
  /** Paragraphs after the link, in small letters. */
  notes: readonly string[];
}

/** An e-mail that a decision sends in the transaction of its changes. */
export interface EmailToSend {
  kind: EmailKind;
  /** The id of the record that it is about. */
  about: string;
  /** Ids of further records with which an erasure finds it. */
  mentions?: readonly string[];
  audience: EmailAudience;
  /** The address of the recipient. */
  to: string;
  /** The URL of its link, encrypted. Null if it has none. */
  link: Buffer | null;
  /** When the link expires, or the e-mail is no longer worth sending, in seconds of real time. The e-mail is not sent after that. */
  expiresAt: number;
  texts: EmailTexts;
}

const Status = named('EmailStatus', 'The status of an e-mail.', oneOf('queued', 'sent', 'failed', 'kept'));

/** Fields of a record that sends an e-mail about itself. The job that sends it sets them. */
export const emailFields = {
  email_status: {
    column: 'text',
    schema: nullable(Status),
    description:
      'The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has accepted it. `failed`: it could not be sent, so hand the link over or try again. `kept`: a sandbox sends no e-mails, and `GET /v1/test_helpers/emails` has it. Null if there is no e-mail.',
  },
  email_failure: {
    column: 'text',
    schema: described(nullable(Type.String()), 'Why the e-mail could not be sent. Null unless it has failed.'),
  },
} as const;

/** The values of these fields in a record without an e-mail. */
export const noEmail = { email_status: null, email_failure: null };
