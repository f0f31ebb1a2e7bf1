import { addMonths, today, type Day } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { readRelated } from '../../commit/read-related.ts';
import { isErased } from '../../model/change.ts';
import { customer, type CustomerRecord } from '../../resources/customer.ts';
import { file, type FileRecord } from '../../resources/file/index.ts';
import { reasonSentences, type ApplicationRecord } from '../../resources/letting/application/fields.ts';
import { building } from '../../resources/letting/building.ts';
import { heldOf, type DepositRecord } from '../../resources/letting/deposit/fields.ts';
import type { GuarantorRecord } from '../../resources/letting/guarantor.ts';
import { dueOf, type InvoiceRecord } from '../../resources/letting/invoice/fields.ts';
import type { LedgerEntryRecord } from '../../resources/letting/ledger-entry.ts';
import type { PaymentRecord } from '../../resources/letting/payment/fields.ts';
import { tenancy, type TenancyRecord } from '../../resources/letting/tenancy/index.ts';
import { earliestLastDay } from '../../resources/letting/tenancy/notice.ts';
import { unit } from '../../resources/letting/unit.ts';
import { reference } from '../../resources/reference/index.ts';
import type { ReferenceRecord } from '../../resources/reference/record.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { readLinked, readOwn, viewerOf, type Viewer } from './own-records.ts';

/*
 * What a person sees in the portal. Each function lists the members one by one. So a new field of a record stays hidden. Of other persons,
 * only the names of co-applicants and co-tenants are shown.
 */

interface Address {
  line1: string;
  line2: string | null;
  city: string;
  postal_code: string;
  country: string;
}

export function addressView({ line1, line2, city, postal_code, country }: Address): JsonObject {
  return { line1, line2, city, postal_code, country };
}

/** Returns the name and the address of a home. Null if it is none of this account. */
async function homeView(context: HttpContext, accountId: string, unitId: string | null): Promise<JsonObject | null> {
  const home = await readLinked(context, unit, accountId, unitId);
  if (!home) return null;
  const place = await readLinked(context, building, accountId, home.building);
  return { name: home.name, address: place && addressView(place.address) };
}

/** Returns the names of all but the viewer. Persons of other systems and erased ones have none here. */
async function namesOfOthers(
  context: HttpContext,
  { accountId, customerId }: Viewer,
  customers: readonly string[],
): Promise<string[]> {
  const others = customers.filter((id) => id !== customerId);
  const persons = await Promise.all(others.map((id) => readLinked(context, customer, accountId, id)));
  return persons.flatMap((person) => (person && !isErased(person) ? [person.name] : []));
}

export function fileView({ id, created, purpose, filename, size, content_type }: FileRecord): JsonObject {
  return { object: 'portal_file', id, created, purpose, filename, size, content_type };
}

/** Returns a check of the viewer. Its outcome is shown once the application is decided. */
export function referenceView({ id, created, status, outcome }: ReferenceRecord, isDecided: boolean): JsonObject {
  return { id, created, status, outcome: isDecided ? outcome : null };
}

/** What an application asks of each person, with the feature that takes it. */
const askable = [
  { code: 'phone', text: 'Your phone number', feature: 'details' },
  { code: 'date_of_birth', text: 'Your date of birth', feature: 'details' },
  { code: 'addresses', text: 'Where you have lived in the last three years, with the days', feature: 'details' },
  { code: 'identity_document', text: 'A passport, driving licence or identity card', feature: 'documents' },
  { code: 'income_evidence', text: 'Evidence of your income, such as payslips', feature: 'documents' },
  { code: 'right_to_rent', text: 'Evidence of your right to rent', feature: 'documents' },
] as const;

/** Services ask where a person has lived for so long. */
const addressMonths = 36;

function askedOf({ person, files, day }: OwnFacts): JsonObject[] {
  const earliest = addMonths(day, -addressMonths);
  const given: Record<(typeof askable)[number]['code'], boolean> = {
    phone: person.phone !== null,
    date_of_birth: person.date_of_birth !== null,
    addresses: person.addresses.some(({ from }) => from !== null && from <= earliest),
    identity_document: files.some(({ purpose }) => purpose === 'identity_document'),
    income_evidence: files.some(({ purpose }) => purpose === 'income_evidence'),
    right_to_rent: person.right_to_rent !== null || files.some(({ purpose }) => purpose === 'right_to_rent'),
  };
  return askable.filter(({ code }) => !given[code]).map((each) => ({ ...each }));
}

/** What the views of several applications share. */
export interface OwnFacts {
  person: CustomerRecord;
  files: FileRecord[];
  references: ReferenceRecord[];
  /** The present day in the time zone of the account. */
  day: Day;
}

export async function readOwnFacts(
  context: HttpContext,
  request: ApiRequest,
  person: CustomerRecord,
): Promise<OwnFacts> {
  const [files, references] = await Promise.all([
    readOwn(context, file, request),
    readOwn(context, reference, request),
  ]);
  return { person, files, references, day: today(toSeconds(context.clock.nowMs()), request.account.timeZone) };
}

/** Returns whether one of these guarantors has agreed to stand by this person, and was not released. */
function isGuaranteed(
  guarantors: readonly { status: string; guarantees: readonly string[] | null }[],
  customerId: string,
): boolean {
  return guarantors.some(
    ({ status, guarantees }) => status === 'agreed' && (guarantees === null || guarantees.includes(customerId)),
  );
}

export async function applicationView(
  context: HttpContext,
  viewer: Viewer,
  current: ApplicationRecord,
  facts: OwnFacts,
): Promise<JsonObject> {
  const { id, created, status, rent, move_in_date, customers, decision, review } = current;
  const isOpen = status === 'open' || status === 'approved';
  return {
    object: 'portal_application',
    id,
    created,
    status,
    home: await homeView(context, viewer.accountId, current.unit),
    rent: rent as Json,
    move_in_date,
    co_applicants: await namesOfOthers(context, viewer, customers),
    has_guarantor: isGuaranteed(current.guarantors_known, viewer.customerId),
    references: facts.references
      .filter(({ application }) => application === id)
      .map((each) => referenceView(each, decision !== null)),
    decision: decision && {
      outcome: decision.outcome,
      reasons: decision.reasons.map((code) => ({ code, text: reasonSentences[code] })),
      automated: decision.automated,
      decided_at: decision.decided_at,
    },
    review: review && {
      status: review.status,
      requested_at: review.requested_at,
      completed_at: review.completed_at,
    },
    asked: isOpen ? askedOf(facts) : [],
    actions: [...(isOpen ? ['withdraw'] : []), ...(status === 'rejected' && review === null ? ['request_review'] : [])],
    tenancy: current.tenancy,
  };
}

/** Returns the earliest last day of a notice that the tenants would serve today. Null if no rule says. */
async function readEarliestLastDay(
  context: HttpContext,
  { accountId, account }: ApiRequest,
  current: TenancyRecord,
): Promise<Day | null> {
  const { related } = await readRelated(context, accountId, tenancy, current, ['subscriptions']);
  return earliestLastDay(current, today(toSeconds(context.clock.nowMs()), account.timeZone), account.rules, related);
}

export async function tenancyView(
  context: HttpContext,
  request: ApiRequest,
  current: TenancyRecord,
): Promise<JsonObject> {
  const viewer = viewerOf(request);
  const { accountId, customerId, features } = viewer;
  const { id, created, status, type, start_date, end_date, signed_on, rent, notice, balance, arrears } = current;
  const { related } = await readRelated(context, accountId, tenancy, current, ['guarantors']);
  const hasMoney = features.has('money');
  const isLive = ['signed', 'active', 'notice'].includes(status);
  const canGiveNotice = isLive && (notice === null || notice.by === 'landlord') && features.has('notice');
  return {
    object: 'portal_tenancy',
    id,
    created,
    status,
    home: await homeView(context, accountId, current.unit),
    type,
    start_date,
    end_date,
    signed_on,
    rent: { ...rent },
    co_tenants: await namesOfOthers(context, viewer, current.customers),
    has_guarantor: isGuaranteed(related.all<GuarantorRecord>('guarantors'), customerId),
    notice: notice && {
      by: notice.by,
      served_on: notice.served_on,
      ends_on: notice.ends_on,
      grounds: [...notice.grounds],
    },
    earliest_last_day: canGiveNotice ? await readEarliestLastDay(context, request, current) : null,
    // A request of a co-tenant is about that person.
    pet_requests: (features.has('pets') ? current.pet_requests : [])
      .filter(({ customer: asking }) => asking === customerId)
      .map(({ number, description, requested_on, answer_by, status: answer, reason }) => ({
        number,
        description,
        requested_on,
        answer_by,
        status: answer,
        reason,
      })),
    balance: hasMoney ? balance : null,
    arrears: hasMoney ? { ...arrears } : null,
    deposit: current.deposit,
    actions: [...(canGiveNotice ? ['give_notice'] : []), ...(isLive && features.has('pets') ? ['request_pet'] : [])],
  };
}

export function ledgerEntryView(entry: LedgerEntryRecord): JsonObject {
  const { id, sequence, date, type, amount, balance, invoice, payment } = entry;
  return { object: 'portal_ledger_entry', id, sequence, date, type, amount, balance, invoice, payment };
}

export function invoiceView(current: InvoiceRecord): JsonObject {
  return {
    object: 'portal_invoice',
    id: current.id,
    created: current.created,
    tenancy: current.tenancy,
    number: current.number,
    status: current.status,
    due_on: current.due_on,
    overdue: current.overdue,
    period: current.period && { ...current.period },
    lines: current.lines.map(({ type, description, amount, period }) => ({
      type,
      description,
      amount,
      period: period && { ...period },
    })),
    currency: current.currency,
    total: current.total,
    amount_paid: current.amount_paid,
    amount_credited: current.amount_credited,
    amount_due: dueOf(current),
    finalized_at: current.finalized_at,
    paid_at: current.paid_at,
  };
}

export function paymentView({ customerId }: Viewer, current: PaymentRecord): JsonObject {
  const isOwn = current.customer === customerId;
  return {
    object: 'portal_payment',
    id: current.id,
    created: current.created,
    tenancy: current.tenancy,
    deposit: current.deposit,
    amount: current.amount,
    currency: current.currency,
    method: current.method,
    status: current.status,
    received_on: current.received_on,
    // A payment need not name its payer.
    own: current.customer === null ? null : isOwn,
    // The text of another person's bank can name that person.
    reference: isOwn ? current.reference : null,
    amount_refunded: current.amount_refunded,
  };
}

export async function depositView(context: HttpContext, viewer: Viewer, current: DepositRecord): Promise<JsonObject> {
  return {
    object: 'portal_deposit',
    id: current.id,
    created: current.created,
    type: current.type,
    status: current.status,
    home: await homeView(context, viewer.accountId, current.unit),
    tenancy: current.tenancy,
    application: current.application,
    currency: current.currency,
    amount: current.amount,
    amount_received: current.amount_received,
    amount_applied: current.amount_applied,
    amount_deducted: current.amount_deducted,
    amount_returned: current.amount_returned,
    amount_held: heldOf(current),
    received_on: current.received_on,
    decide_by: current.decide_by,
    repay_by: current.repay_by,
    protect_by: current.protect_by,
    scheme: current.scheme,
    scheme_reference: current.scheme_reference,
    protected_on: current.protected_on,
    information_given_on: current.information_given_on,
    deductions: current.deductions.map(({ amount, reason, description }) => ({ amount, reason, description })),
    returned_on: current.returned_on,
    own: current.payer === viewer.customerId,
  };
}
