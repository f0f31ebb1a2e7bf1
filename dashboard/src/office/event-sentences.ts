import type { Event, ReferenceDecider } from 'tenure';
import { reasonText } from './reasons.ts';
import { documentPrefix, outcomeOf, services, stageText, titleOfProblem } from './checks.ts';
import { capital, listed, money, plain } from './words.ts';

/* Events in sentences: the actor and the act. */

/** The names of the members of the team by their e-mail addresses. The API names a person by the address. */
export type TeamNames = ReadonlyMap<string, string>;

const noNames: TeamNames = new Map();

/** Returns the name of the party that caused an event, for the middle of a sentence. */
export function actorOf(
  { request: { actor, customer_portal: isPortal } }: Pick<Event, 'request'>,
  names = noNames,
): string {
  // An event of the portal has no actor: renters are no callers of the API.
  if (actor === null && isPortal) return 'a person in the portal';
  return actor === null || actor.type === 'system' ? 'Tenure' : partyNamed(actor, names);
}

function partyNamed({ type, name }: { type: string; name: string | null }, names: TeamNames): string {
  if (type === 'user') return name === null ? 'A member of the team' : (names.get(name) ?? name);
  const kind = type === 'agent' ? 'agent' : 'program';
  if (name !== null) return `the ${kind} “${name}”`;
  return type === 'agent' ? 'an agent' : 'a program';
}

/** The same for the start of a sentence. A name stays as it is. */
export function actorAtStart(event: Pick<Event, 'request'>, names = noNames): string {
  return event.request.actor?.type === 'user' ? actorOf(event, names) : capital(actorOf(event));
}

/** Returns the name of the party that made a decision, for the start of a sentence. */
export function deciderAtStart(decider: ReferenceDecider, names = noNames): string {
  return decider.type === 'user' ? partyNamed(decider, names) : capital(partyNamed(decider, names));
}

/** What the events of the office have that sentences need. */
interface Told {
  id?: string;
  status?: string;
  outcome?: string | null;
  name?: string;
  filename?: string;
  recipient?: string | null;
  recipient_email?: string | null;
  amount?: number;
  amount_paid?: number;
  refunds?: { amount: number }[];
  currency?: string;
  number?: string | null;
  reference_pdf?: unknown;
  earlier_reports?: unknown;
  automatic_reference?: {
    enabled?: boolean;
    provider?: string | null;
    status?: string | null;
    last_error?: string | null;
  } | null;
  decision?: { reasons?: string[] } | null;
  metadata?: Record<string, string | null>;
}

/** @param isSystem whether Tenure acted by itself. */
type Sentence = (record: Told, before: Told | null, isSystem: boolean) => string | null;

/** The part of a sentence that follows the name of the actor. Null leaves the event out: it is mere progress. */
const sentences: Readonly<Record<string, Sentence>> = {
  'customer.created': () => 'added this person',
  'customer.updated': (_, before) => `changed ${members(before)}`,
  'customer.deleted': () => 'erased this person',
  'application.created': () => 'took an application',
  'application.updated': (_, before) =>
    isOnly(before, ['references', 'guarantors']) ? null : `changed the application: ${members(before)}`,
  'application.approved': () => 'accepted the application',
  'application.rejected': ({ decision }) => {
    const reasons = (decision?.reasons ?? []).map(reasonText);
    return `refused the application. ${reasons.join(' ')}`;
  },
  'application.withdrawn': () => 'noted that the applicants withdrew',
  'application.review_requested': () => 'noted that the applicants ask for a review',
  'application.reviewed': ({ status }) =>
    status === 'open'
      ? 'reviewed the refusal, and opened the application again'
      : 'reviewed the refusal, and upheld it',
  'application.converted': () => 'signed the tenancy of the application',
  'application.reopened': () => 'opened the application again, because its tenancy was cancelled',
  'application.check_raised': () => 'found a duty by law that is not met',
  'application.deleted': () => 'deleted the application',
  'reference.created': ({ automatic_reference: automatic }) =>
    automatic?.enabled ? 'ordered a check by a referencing service' : 'ordered a check by hand',
  'reference.updated': referenceUpdated,
  'reference.completed': ({ outcome }) =>
    `finished the check with the outcome “${outcomeOf(outcome ?? null)?.name ?? 'none'}”`,
  'reference.canceled': () => 'cancelled the check',
  'reference.deleted': () => 'erased the findings of the check',
  'guarantor.created': () => 'proposed a guarantor',
  'guarantor.agreed': () => 'noted that the guarantor has agreed',
  'guarantor.declined': () => 'noted that the guarantor has declined',
  'guarantor.released': () => 'released the guarantor',
  'guarantor.deleted': () => 'removed a proposed guarantor',
  // Its other changes have events of their own.
  'guarantor.updated': () => null,
  'unit.created': () => 'added this home',
  'unit.updated': (_, before) =>
    // What follows from a tenancy or a deposit has an event there.
    isOnly(before, ['status', 'tenancy', 'next_tenancy', 'holding_deposit'])
      ? null
      : `changed the home: ${members(before)}`,
  'unit.available': () => 'noted that the home is free',
  'unit.reserved': () => 'noted that the home is reserved',
  'unit.let_agreed': () => 'noted that a let is agreed',
  'unit.occupied': () => 'noted that the tenants have moved in',
  'unit.deleted': () => 'deleted a home',
  'tenancy.created': () => 'drafted a tenancy',
  'tenancy.signed': () => 'noted that the tenancy is signed',
  'tenancy.activated': () => 'noted that the tenancy has begun',
  'tenancy.notice_given': () => 'noted that notice is given',
  'tenancy.notice_withdrawn': () => 'noted that the notice is withdrawn',
  'tenancy.ended': () => 'noted that the tenancy has ended',
  'tenancy.canceled': () => 'cancelled the tenancy',
  'tenancy.arrears_started': () => 'found the tenancy in arrears',
  'tenancy.arrears_cleared': () => 'found the tenancy no longer in arrears',
  'tenancy.check_raised': () => 'found a duty by law that the tenancy does not meet',
  'tenancy.pet_requested': () => 'noted that the tenants ask for a pet',
  'tenancy.pet_answered': () => 'answered the request for a pet',
  'tenancy.updated': () => null,
  'deposit.created': () => 'asked for a deposit',
  'deposit.received': () => 'noted that the deposit is received',
  'deposit.protected': () => 'noted that the deposit is protected',
  'deposit.information_given': () => 'noted that the tenants have the information about their deposit',
  'deposit.applied': () => 'used the deposit for the tenancy',
  'deposit.release_proposed': () => 'proposed how to return the deposit',
  'deposit.disputed': () => 'noted a dispute about the deposit',
  'deposit.released': () => 'released the deposit',
  'deposit.returned': () => 'returned money of the deposit',
  'deposit.retained': () => 'kept money of the deposit',
  'deposit.canceled': () => 'cancelled the deposit',
  'deposit.check_raised': () => 'found a duty by law that the deposit does not meet',
  'deposit.updated': () => null,
  'invoice.created': () => 'drafted a bill',
  'invoice.finalized': (bill) => `issued ${billNamed(bill)}`,
  // What was taken off in full was not paid.
  'invoice.paid': (bill) =>
    `noted that ${bill.amount_paid === 0 ? 'nothing is left to pay of ' : ''}${billNamed(bill)}${bill.amount_paid === 0 ? '' : ' is paid'}`,
  'invoice.overdue': (bill) => `found ${billNamed(bill)} overdue`,
  'invoice.voided': (bill) => `cancelled ${billNamed(bill)}`,
  'invoice.credited': (bill) => `credited ${billNamed(bill)}`,
  'invoice.marked_uncollectible': (bill) => `gave up ${billNamed(bill)}`,
  'invoice.reopened': (bill) => `opened ${billNamed(bill)} again`,
  'invoice.deleted': () => 'deleted the draft of a bill',
  'invoice.updated': () => null,
  // Money that has come has `payment.succeeded`, too.
  'payment.created': (payment) => (payment.status === 'pending' ? `asked for ${paymentNamed(payment)}` : null),
  'payment.succeeded': (payment) => `noted ${paymentNamed(payment)}`,
  'payment.failed': (payment) => `noted that ${paymentNamed(payment)} has failed`,
  'payment.refunded': (payment) => `returned ${refundNamed(payment)}`,
  'payment.canceled': (payment) => `cancelled ${paymentNamed(payment)}`,
  'payment.allocated': () => null,
  'payment.updated': () => null,
  'subscription.created': () => 'set up a regular charge',
  'subscription.activated': () => 'began to bill a regular charge',
  'subscription.amount_changed': (charge) => `changed a regular charge to ${sumOf(charge)}`,
  'subscription.change_scheduled': () => 'planned a new amount for a regular charge',
  'subscription.change_canceled': () => 'took back the new amount of a regular charge',
  'subscription.paused': () => 'paused a regular charge',
  'subscription.resumed': () => 'resumed a regular charge',
  'subscription.ended': () => 'ended a regular charge',
  'subscription.updated': () => null,
  'building.created': () => 'added this building',
  'building.updated': (_, before) =>
    isOnly(before, ['unit_count']) ? null : `changed the building: ${members(before)}`,
  'building.deleted': () => 'deleted a building',
  'bank_line.confirmed': () => 'took a payment from a bank statement',
  'bank_line.ignored': () => 'set a line of a bank statement aside',
  'bank_line.reopened': () => 'looked at a line of a bank statement again',
  'bank_line.deleted': () => 'deleted a line of a bank statement',
  'bank_line.updated': () => null,
  'file.created': ({ filename }) => `added the file “${filename ?? ''}”`,
  'file.updated': () => null,
  'file.deleted': () => 'deleted a file',
  'file_link.created': (link) => `made a link to the report${recipientOf(link, ' for ')}`,
  'file_link.revoked': (link) => `ended the link to the report${recipientOf(link, ' for ')}`,
  'file_link.updated': () => null,
  'portal_session.created': () => 'made a link to the portal',
  'portal_session.opened': () => 'opened the link to the portal',
  'portal_session.ended': () => 'ended the visit to the portal',
  'portal_session.updated': () => null,
};

/** Returns what happened as a sentence, or null for mere progress. */
export function sentenceOf(event: Event, names = noNames): string | null {
  const { type, data } = event;
  const record = data.object as Told;
  // The reader has no account. The link is all that is known of them.
  if (type === 'file_link.opened') return `The report was opened by the link${recipientOf(record, ' for ')}.`;
  const before = data.previous_attributes as Told | null;
  const known = sentences[type];
  const isSystem = event.request.actor?.type === 'system';
  const text = known ? known(record, before, isSystem) : generic(type);
  if (text === null) return null;
  return `${actorAtStart(event, names)} ${text}${text.endsWith('.') ? '' : '.'}`;
}

function generic(type: string): string {
  const [noun = '', verb = ''] = type.split('.');
  return `noted: ${plain(noun)} ${plain(verb)}`;
}

function referenceUpdated(record: Told, before: Told | null, isSystem: boolean): string | null {
  const { outcome, status, automatic_reference: automatic } = record;
  if (before?.outcome) {
    const [was, is] = [before.outcome, outcome ?? null].map((each) => outcomeOf(each)?.name ?? 'none');
    return `changed the outcome of the check from “${was}” to “${is}”`;
  }
  const progress = before?.automatic_reference;
  if (automatic && progress?.enabled === true && automatic.enabled === false) return 'took the check over by hand';
  if (automatic?.provider && (progress === null || progress?.provider !== undefined)) {
    const name = services.find(({ id }) => id === automatic.provider)?.name ?? 'a service';
    return `moved the check to ${name}`;
  }
  if (progress?.last_error === null && automatic?.last_error)
    return automatic.status === 'failed'
      ? 'learned that the check cannot go on'
      : `learned of an obstacle: ${titleOfProblem(automatic.last_error).toLowerCase()}`;
  if (progress?.status !== undefined && automatic?.status)
    return `learned from the service: ${stageText(automatic.status)}`;
  if (before?.reference_pdf !== undefined && record.reference_pdf)
    return isSystem ? 'issued the report about the decision' : 'attached a report to the check';
  if (before?.decision !== undefined && before.status === undefined)
    return `confirmed the outcome “${outcomeOf(outcome ?? null)?.name ?? 'none'}”`;
  const added = Object.entries(before?.metadata ?? {}).some(
    ([key, was]) => key.startsWith(documentPrefix) && was === null,
  );
  if (added) return 'added a document to the check';
  if (before?.status === undefined) return null;
  return status === 'processing' && !automatic?.enabled ? 'began the check by hand' : 'moved the check on';
}

/** Returns the person that got a link, after a word. Empty if the office noted none. */
function recipientOf({ recipient, recipient_email: email }: Told, word: string): string {
  const name = recipient ?? email ?? null;
  return name === null ? '' : word + name;
}

function billNamed({ number }: Told): string {
  return number ? `the bill ${number}` : 'a bill';
}

function paymentNamed(payment: Told): string {
  return `a payment of ${sumOf(payment)}`;
}

/** Names a payment that was returned, or the part of it. The newest refund is that of the event. */
function refundNamed(payment: Told): string {
  const { amount } = payment.refunds?.at(-1) ?? payment;
  const part = amount === payment.amount ? '' : `${sumOf({ ...payment, amount: amount ?? 0 })} of `;
  return part + paymentNamed(payment);
}

function sumOf({ amount = 0, currency = 'gbp' }: Told): string {
  return money({ amount, currency });
}

function isOnly(before: Told | null, names: string[]): boolean {
  return Object.keys(before ?? {}).every((name) => names.includes(name));
}

function members(before: Told | null): string {
  const names = Object.keys(before ?? {}).map(plain);
  return names.length === 0 ? 'something' : listed(names);
}
