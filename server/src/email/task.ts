import type { Logger } from 'pino';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { findPayer } from '../core/limits/byte-budget.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { isId } from '../core/ids.ts';
import type { RandomBytes } from '../core/random.ts';
import { crowdedPauseMs, JobPlaces, type PlaceLimits } from '../core/limits/job-places.ts';
import type { JobSubject, Task } from '../job-queue/queue.ts';
import type { StoredRecord } from '../model/record.ts';
import type { RecordChange, Resource } from '../model/resource.ts';
import { customer, type CustomerRecord } from '../resources/customer.ts';
import { email, emailService, type EmailRecord } from '../resources/email.ts';
import { file } from '../resources/file/index.ts';
import { fileLink, statusOf as statusOfFileLink, type FileLinkRecord } from '../resources/file/link.ts';
import { invitation, statusOf as statusOfInvitation, type InvitationRecord } from '../resources/people/invitation.ts';
import { oneTimeLink, type OneTimeLinkRecord } from '../resources/people/one-time-link.ts';
import {
  portalSession,
  statusOf as statusOfPortalSession,
  type PortalSessionRecord,
} from '../resources/portal-session.ts';
import { workflowRun } from '../resources/workflows/run.ts';
import { openEmail } from './queue.ts';
import { SmtpFault, type OutgoingMessage } from './smtp.ts';

/** Connections to the mail server, and those for a tree of accounts. Other jobs of the process go on beside them. */
const connectionLimits: PlaceLimits = { all: 4, ofTree: 3, forOthers: 1 };

/** Seconds after the first failure, the second, and so on. In all they last almost three days: a weekend without a mail server. */
export const pausesSeconds: readonly number[] = [
  5,
  30,
  120,
  600,
  1_800,
  3_600,
  7_200,
  ...Array<number>(8).fill(28_800),
];

/** The share by which a pause varies to either side, so that e-mails that failed together are not retried together. */
const jitter = 0.2;

const linkEnded = 'The link had ended before the e-mail could be sent.';
const addressGone = 'The customer had no e-mail address any more when the e-mail could be sent.';

/** Observes the e-mails for the operator. */
export interface EmailObserver {
  attempted(result: 'sent' | 'retried' | 'failed', durationMs: number): void;
}

export interface EmailContext extends SystemChangeContext {
  config: { publicUrl: string };
  accounts: { get(id: string): Promise<{ rootId: string } | null> };
  realClock: Clock;
  encryption: Encryption;
  randomBytes: RandomBytes;
  log: Logger;
  metrics: { emails: EmailObserver };
}

/** A kind of record that an e-mail is about. */
interface About {
  resource: Resource;
  /** Returns whether its link still works, so that the e-mail is still worth sending. */
  isOpen(record: StoredRecord, realSeconds: number): boolean;
  /** The record that the link opens. The link opens nothing once that is deleted. */
  opened?(record: StoredRecord): { resource: Resource; id: string };
}

const abouts: readonly About[] = [
  {
    resource: invitation,
    isOpen: (record, now) => statusOfInvitation(record as InvitationRecord, now) === 'pending',
  },
  {
    resource: fileLink,
    isOpen: (record, now) => statusOfFileLink(record as FileLinkRecord, now) === 'active',
    opened: (record) => ({ resource: file, id: (record as FileLinkRecord).file }),
  },
  {
    resource: portalSession,
    isOpen: (record, now) => statusOfPortalSession(record as PortalSessionRecord, now) === 'pending',
  },
  // It has no link.
  { resource: workflowRun, isOpen: () => true },
  { resource: oneTimeLink, isOpen: (record) => (record as OneTimeLinkRecord).used_at === null },
];

/**
 * Sends queued e-mails, each at least once. The job of an e-mail that was cut off runs again, with the same Message-ID. The result is a
 * change like any other, which also shows it in the record that the e-mail is about.
 */
export class EmailTask implements Task {
  readonly atOnceMax = connectionLimits.all;
  readonly #context: EmailContext;
  readonly #sender: { send(message: OutgoingMessage): Promise<void> };
  readonly #from: string;
  readonly #pausesSeconds: readonly number[];
  readonly #places = new JobPlaces(emailService, connectionLimits);

  /**
   * @param parts.from the address in `From`.
   * @param parts.pauses the pauses between attempts, in seconds.
   */
  constructor(
    context: EmailContext,
    parts: {
      sender: { send(message: OutgoingMessage): Promise<void> };
      from: string;
      pauses?: readonly number[];
    },
  ) {
    this.#context = context;
    this.#sender = parts.sender;
    this.#from = parts.from;
    this.#pausesSeconds = parts.pauses ?? pausesSeconds;
  }

  crowdedGroups(): string[] {
    return this.#places.crowdedGroups();
  }

  /** Sends an e-mail if it is still queued. Throws only for our own faults; the job is then retried. */
  async run({ account: accountId, id }: JobSubject): Promise<void> {
    const current = await this.#context.readRecord(email, accountId, id);
    if (!current?.sending) return;
    // Many jobs are claimed at once before any of them is under way. A tree may have many accounts with an e-mail each.
    const free = this.#places.take(await findPayer(this.#context.accounts, accountId));
    if (!free) return this.#postpone(current);
    try {
      await this.#send(current);
    } finally {
      free();
    }
  }

  async #send(queued: EmailRecord): Promise<void> {
    const { metrics, log } = this.#context;
    if (!(await this.#isWanted(queued))) return this.#end(queued, 'failed', linkEnded);
    const recipient = await this.#recipientOf(queued);
    if (recipient === null) return this.#end(queued, 'failed', addressGone);
    const current = { ...queued, recipient };
    const startedMs = performance.now();
    const about = { email: current.id, kind: current.kind };
    try {
      await this.#sender.send(this.#messageOf(current));
    } catch (error) {
      if (!(error instanceof SmtpFault)) throw error;
      const durationMs = performance.now() - startedMs;
      const failures = current.sending!.failures + 1;
      const pause = error.isFinal ? undefined : this.#pausesSeconds[failures - 1];
      if (pause === undefined) {
        metrics.emails.attempted('failed', durationMs);
        log.error({ ...about, code: error.code, failures }, 'an e-mail could not be sent; it is given up');
        return this.#end(current, 'failed', error.message);
      }
      metrics.emails.attempted('retried', durationMs);
      log.warn({ ...about, code: error.code, failures }, 'an e-mail could not be sent; it is retried');
      return this.#retry(current, pause);
    }
    metrics.emails.attempted('sent', performance.now() - startedMs);
    await this.#end(current, 'sent', null);
  }

  #messageOf(current: EmailRecord): OutgoingMessage {
    const { encryption, config } = this.#context;
    const { from, replyTo, subject, text, html } = openEmail(current, encryption);
    return {
      messageId: `<${current.id}@${new URL(config.publicUrl).hostname.replace(/[[\]]/g, '')}>`,
      sentAt: new Date(current.created * 1000),
      from: { name: from, address: this.#from },
      replyTo,
      to: current.recipient,
      subject,
      text,
      html,
    };
  }

  /** Returns whether the link of the e-mail still works. */
  async #isWanted(current: EmailRecord): Promise<boolean> {
    const realSeconds = toSeconds(this.#context.realClock.nowMs());
    if (current.expires_at <= realSeconds) return false;
    const { readRecord } = this.#context;
    const about = aboutOf(current);
    const record = await readRecord(about.resource, current.account_id, current.about);
    if (record === null || !about.isOpen(record, realSeconds)) return false;
    const opened = about.opened?.(record);
    return !opened || (await readRecord(opened.resource, current.account_id, opened.id)) !== null;
  }

  /** Returns the address of an e-mail. A workflow writes to a customer, whose address can have changed. Null if there is none any more. */
  async #recipientOf({ kind, account_id: accountId, mentions, recipient }: EmailRecord): Promise<string | null> {
    if (kind !== 'workflow') return recipient;
    const id = mentions.find((mentioned) => isId(customer.prefix, mentioned));
    const person = id === undefined ? null : await this.#context.readRecord<CustomerRecord>(customer, accountId, id);
    return person?.email ?? null;
  }

  /** Ends an e-mail, and empties it: its link is a secret. */
  async #end(current: EmailRecord, status: 'sent' | 'failed', failure: string | null): Promise<void> {
    const { committer, readRecord, realClock } = this.#context;
    const { account_id: accountId, id } = current;
    const about = aboutOf(current);
    await committer.commitAsSystem({
      accountId,
      locks: [id, current.about],
      async decide() {
        const now = await readRecord(email, accountId, id);
        if (!now?.sending) return null;
        const after: EmailRecord = {
          ...now,
          recipient: current.recipient,
          content: null,
          link: null,
          status,
          sending: null,
          failure,
          ended_at: toSeconds(realClock.nowMs()),
          revision: now.revision + 1,
        };
        const shown = await readRecord(about.resource, accountId, now.about);
        const changes: RecordChange[] = [{ resource: email, before: now, after }];
        if (shown && 'email_status' in about.resource.fields) {
          const told = { ...shown, email_status: status, email_failure: failure, revision: shown.revision + 1 };
          changes.push({ resource: about.resource, before: shown, after: told });
        }
        return { changes };
      },
    });
  }

  async #retry(current: EmailRecord, pauseSeconds: number): Promise<void> {
    const { clock, randomBytes } = this.#context;
    const random = Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
    const pauseMs = Math.round(pauseSeconds * 1000 * (1 + jitter * (2 * random - 1)));
    await changeAsSystem(this.#context, email, current, {}, (now) =>
      now.sending && now.sending.failures === current.sending!.failures
        ? {
            after: {
              ...now,
              sending: { due_at_ms: clock.nowMs() + pauseMs, failures: now.sending.failures + 1 },
            },
          }
        : null,
    );
  }

  async #postpone(current: EmailRecord): Promise<void> {
    const { clock } = this.#context;
    await changeAsSystem(this.#context, email, current, {}, (now) =>
      now.sending
        ? { after: { ...now, sending: { ...now.sending, due_at_ms: clock.nowMs() + crowdedPauseMs } } }
        : null,
    );
  }
}

function aboutOf({ id, about }: EmailRecord): About {
  const found = abouts.find(({ resource }) => isId(resource.prefix, about));
  if (!found) throw new Error(`Bug! The e-mail ${id} is about ${about}, and no kind of record has such ids.`);
  return found;
}
