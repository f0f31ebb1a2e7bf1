import type { Mode } from '../core/secrets/api-keys.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { IdMaker } from '../core/ids.ts';
import { newRecord } from '../model/change.ts';
import type { EmailTexts, EmailToSend } from '../model/email.ts';
import type { RecordChange } from '../model/resource.ts';
import { email, type EmailRecord } from '../resources/email.ts';
import { oneLine, renderEmail, type RenderedEmail } from './template.ts';

/** The account that sends an e-mail. */
export interface EmailSender {
  id: string;
  name: string;
  /** The e-mail address in its letterhead, for replies. Null if it has none. */
  replyTo: string | null;
}

/** What a queued e-mail says, besides its link. */
interface Content {
  texts: EmailTexts;
  from: string;
  replyTo: string | null;
}

interface QueueContext {
  config: { mode: Mode; smtp: object | null };
  ids: IdMaker;
  clock: Clock;
  realClock: Clock;
  encryption: Encryption;
}

/** Returns how an e-mail of this deployment begins. Null if a live deployment has no mail server, and sends none. */
export function firstEmailStatus({ mode, smtp }: QueueContext['config']): 'queued' | 'kept' | null {
  if (mode === 'sandbox') return 'kept';
  return smtp === null ? null : 'queued';
}

/**
 * Returns the change that queues an e-mail, or keeps it in a sandbox. The caller commits it with the change that causes the e-mail. So there
 * is an e-mail exactly if the cause is committed. A job sends it.
 *
 * @returns null if the deployment sends no e-mail.
 */
export function queuedEmail(context: QueueContext, sender: EmailSender, toSend: EmailToSend): RecordChange | null {
  const status = firstEmailStatus(context.config);
  if (status === null) return null;
  const content: Content = { texts: toSend.texts, from: oneLine(sender.name), replyTo: sender.replyTo };
  const record: EmailRecord = {
    ...newRecord(context.ids.make(email.prefix), sender.id),
    kind: toSend.kind,
    about: toSend.about,
    mentions: [toSend.about, ...(toSend.mentions ?? [])],
    audience: toSend.audience,
    recipient: toSend.to,
    expires_at: toSend.expiresAt,
    content: context.encryption.encrypt(JSON.stringify(content)),
    link: toSend.link,
    status,
    sending: status === 'queued' ? { due_at_ms: context.clock.nowMs(), failures: 0 } : null,
    failure: null,
    ended_at: status === 'queued' ? null : toSeconds(context.realClock.nowMs()),
  };
  return { resource: email, before: null, after: record };
}

/** An e-mail with its secrets, to send or to show. */
export interface OpenEmail extends RenderedEmail {
  from: string;
  replyTo: string | null;
  /** Null if it has none. */
  link: string | null;
}

/** Decrypts and renders an e-mail that has not left. */
export function openEmail({ id, content, link }: EmailRecord, encryption: Encryption): OpenEmail {
  if (content === null) throw new Error(`Bug! The e-mail ${id} has left, so nothing is left of it.`);
  const { texts, from, replyTo } = JSON.parse(encryption.decrypt(content)) as Content;
  const url = link && encryption.decrypt(link);
  return { ...renderEmail(texts, { link: url, sender: from }), from, replyTo, link: url };
}
