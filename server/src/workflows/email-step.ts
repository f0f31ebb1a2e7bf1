import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { IdMaker } from '../core/ids.ts';
import { isId } from '../core/ids.ts';
import type { Mode } from '../core/secrets/api-keys.ts';
import type { Guard } from '../commit/write-request.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { queuedEmail } from '../email/queue.ts';
import type { RecordChange } from '../model/resource.ts';
import { customer, type CustomerRecord } from '../resources/customer.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { Step } from './rules/definition.ts';
import { textFilledIn, type Scope } from './rules/templates.ts';
import { StepFault } from './step-fault.ts';

export interface EmailStepContext {
  config: { mode: Mode; smtp: object | null };
  ids: IdMaker;
  clock: Clock;
  realClock: Clock;
  encryption: Encryption;
  readRecord: RecordReader;
  accounts: { get(id: string): Promise<{ name: string; replyTo: string | null } | null> };
}

/** Seconds. After three days without a mail server, an e-mail is no longer worth sending. */
const lifetimeSeconds = 3 * 86_400;

/**
 * Returns the change that queues the e-mail of a step. The customer is a guard, so that no e-mail goes to an erased person.
 *
 * @throws {StepFault} if it cannot be sent.
 */
export async function emailOf(
  context: EmailStepContext,
  run: WorkflowRunRecord,
  step: Step,
  scope: Scope,
): Promise<{ change: RecordChange; guards: Guard[] }> {
  const { account_id: accountId } = run;
  const id = textFilledIn(step.to!, scope);
  // The error of a run must not quote a name.
  if (!isId(customer.prefix, id)) throw new StepFault('resource_missing', 'The value of `to` is no id of a customer.');
  const person = await context.readRecord<CustomerRecord>(customer, accountId, id);
  if (!person || person.deleted_at) throw new StepFault('resource_missing', `There is no customer \`${id}\`.`);
  if (person.email === null) throw new StepFault('email_missing', `The customer ${id} has no e-mail address.`);
  const account = await context.accounts.get(accountId);
  if (!account) throw new Error(`Bug! The account ${accountId} is not there.`);
  const change = queuedEmail(
    context,
    { id: accountId, name: account.name, replyTo: account.replyTo },
    {
      kind: 'workflow',
      about: run.id,
      mentions: [person.id],
      audience: 'office',
      to: person.email,
      link: null,
      expiresAt: toSeconds(context.realClock.nowMs()) + lifetimeSeconds,
      texts: {
        subject: textFilledIn(step.subject!, scope),
        paragraphs: textFilledIn(step.text!, scope)
          .split(/\n\s*\n/)
          .filter((paragraph) => paragraph.trim() !== ''),
        notes: [],
      },
    },
  );
  if (!change) throw new StepFault('email_unconfigured', 'This deployment has no mail server, so it sends no e-mails.');
  return { change, guards: [{ resource: customer, record: person }] };
}
