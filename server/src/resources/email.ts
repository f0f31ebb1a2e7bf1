import { Type } from 'typebox';
import { placeGroups } from '../core/limits/job-places.ts';
import type { EmailAudience, EmailKind, EmailStatus } from '../model/email.ts';
import type { StoredRecord } from '../model/record.ts';
import { defineResource } from '../model/resource.ts';
import { nullable } from '../model/schemas/make.ts';
import { scheduled } from '../model/traits/scheduled.ts';
import { silent } from '../model/traits/silent.ts';

/** The next attempt to send an e-mail. */
export interface Sending {
  due_at_ms: number;
  /** The failed attempts. */
  failures: number;
}

export type EmailRecord = StoredRecord & {
  kind: EmailKind;
  /** The id of the record that it is about. */
  about: string;
  /** Ids of records with which an erasure finds it. */
  mentions: string[];
  audience: EmailAudience;
  recipient: string;
  /** In seconds of real time. */
  expires_at: number;
  /** Its texts and its sender as JSON, encrypted. Null once it has left. */
  content: Buffer | null;
  /** The URL of its link, encrypted. Null once it has left, or if it has no link. */
  link: Buffer | null;
  status: EmailStatus;
  /** Null if it is not queued. */
  sending: Sending | null;
  failure: string | null;
  /** When it was sent, given up or kept, in seconds of real time. */
  ended_at: number | null;
};

/** The service that e-mails wait for: the mail server. */
export const emailService = 'emails';

const Word = Type.String({ maxLength: 500 });
const Time = Type.Integer();

/** An e-mail: queued until it has left, or kept by a sandbox. */
export const email = defineResource<EmailRecord>(
  {
    object: 'email',
    prefix: 'eml',
    path: 'emails',
    table: 'emails',
    fields: {
      kind: { column: 'text', schema: Word },
      about: { column: 'text', schema: Word },
      mentions: { column: 'text[]', schema: Type.Array(Word) },
      audience: { column: 'text', schema: Word },
      recipient: { column: 'text', schema: Word },
      expires_at: { column: 'bigint', schema: Time },
      content: { column: 'encrypted', schema: nullable(Word) },
      link: { column: 'encrypted', schema: nullable(Word) },
      status: { column: 'text', schema: Word },
      sending: { column: 'json', schema: nullable(Type.Object({})) },
      failure: { column: 'text', schema: nullable(Word) },
      ended_at: { column: 'bigint', schema: nullable(Time) },
    },
    filters: {
      to: {
        column: 'recipient',
        match: 'caseless',
        schema: Type.String({
          minLength: 1,
          maxLength: 254,
          description: 'Only e-mails to this address. Case does not matter.',
        }),
      },
    },
  },
  silent(),
  scheduled({
    job: 'send_email',
    column: 'sending',
    statuses: ['queued'],
    groups: ({ account_id: accountId }) => placeGroups(emailService, accountId),
    dueAtMs: ({ sending }: EmailRecord) => sending?.due_at_ms ?? null,
    wake: (current: EmailRecord, nowMs) =>
      current.sending && { after: { ...current, sending: { ...current.sending, due_at_ms: nowMs } } },
  }),
);
