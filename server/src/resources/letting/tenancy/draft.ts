import type { Caller } from '../../../model/callers/caller.ts';
import { invalidParameter } from '../../../core/errors.ts';
import {
  isWithin,
  judge,
  mergeWarnings,
  refuseFailed,
  type Acts,
  type Judgement,
  type Rent,
} from '../../../law/index.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { wrongStatus } from '../../../model/status.ts';
import type { BuildingRecord } from '../building.ts';
import { requireNotFuture } from '../days.ts';
import { heldOf, type DepositRecord } from '../deposit/fields.ts';
import { requireUnarchived, type UnitRecord } from '../unit.ts';
import { withWarnings } from '../warnings.ts';
import type { TenancyRecord } from './fields.ts';
import { withStandingChecks } from './standing-checks.ts';

/** The records that the law of a tenancy depends on. */
export const readsOfDraft = ['unit', 'unit.building', 'customers', 'replaces'] as const;

/** The records that an update depends on. */
export const readsOfUpdate = [...readsOfDraft, 'deposit'] as const;

/** Checks a new draft, and takes the law from its building. */
export function draft(made: FieldsOf<TenancyRecord>, caller: Caller, related: Related): FieldsOf<TenancyRecord> {
  requireUnarchived(related.one<UnitRecord>('unit')!, 'unit');
  const drafted = { ...made, jurisdiction: jurisdictionOf(related) };
  requireDaysInOrder(drafted, caller);
  const judgement = judgeDraft(drafted, caller, related);
  return { ...drafted, checks: mergeWarnings([], judgement, caller.nowSeconds).checks };
}

/** Returns the law of the building, which can change until the tenancy is signed. */
export function jurisdictionOf(related: Related): BuildingRecord['jurisdiction'] {
  return related.one<BuildingRecord>('unit.building')?.jurisdiction ?? null;
}

/** Members that only a draft can change. The rest are texts and files. */
const draftMembers = ['start_date', 'end_date', 'rent', 'rent_increased_on'] as const;

/**
 * Updates a tenancy. After the draft, only texts, files and metadata change.
 *
 * @throws {ApiError} `status_transition_invalid` for a change of the terms of a signed tenancy.
 */
export function update(
  current: TenancyRecord,
  after: TenancyRecord,
  input: object,
  caller: Caller,
  related: Related,
): Change<TenancyRecord> {
  const terms = draftMembers.filter((name) => name in input);
  if (current.status !== 'draft') {
    const [term] = terms;
    if (term !== undefined)
      throw wrongStatus(
        current,
        'tenancy',
        `Only a draft can change its \`${term}\`. Now you can update \`agreement\`, \`statement_given_on\` and \`metadata\`.`,
      );
    return withStandingChecks(current, { after }, caller, related);
  }
  if (terms.length === 0) return { after };
  requireDaysInOrder(after, caller);
  requireCurrency(current, after, related.one<DepositRecord>('deposit'));
  return withWarnings(current, { after }, [judgeDraft(after, caller, related)], caller.nowSeconds);
}

/** @throws {ApiError} `check_failed`. */
function judgeDraft(
  drafted: Pick<TenancyRecord, 'jurisdiction' | 'type' | 'unit' | 'customers' | 'rent' | 'end_date'>,
  caller: Caller,
  related: Related,
): Judgement {
  const { jurisdiction, type } = drafted;
  const facts = { jurisdiction, type, ...termsOf(drafted, related) };
  const judgement = judge(caller.account.rules, 'draft', caller.today, facts);
  refuseFailed(judgement);
  return judgement;
}

/** Returns the facts about the terms of a tenancy that checks judge. */
export function termsOf(
  { unit, customers, rent, end_date: endDate }: Pick<TenancyRecord, 'unit' | 'customers' | 'rent' | 'end_date'>,
  related: Related,
): Acts['draft'] {
  return { rent, lowestAsked: lowestAskedOf(unit, customers, related), endDate, isEndedByNotice: false };
}

/**
 * Returns the lowest rent asked for the unit. The rent of a tenancy can rise by law after the advert. Another tenancy that replaces it may
 * keep its rent. The replaced one has begun, and was signed after the last advert. One of its tenants stays: for new tenants only, the
 * advert counts.
 */
function lowestAskedOf(unit: string, tenants: readonly string[], related: Related): Rent | null {
  const asked = related.one<UnitRecord>('unit')?.lowest_asked ?? null;
  const replaced = related.one<TenancyRecord>('replaces');
  // An advert of an earlier release has no time.
  if (asked?.asked_at === undefined || replaced?.unit !== unit || replaced.activated_at === null) return asked;
  const isAfterAdvert = replaced.signed_at !== null && replaced.signed_at >= asked.asked_at;
  const keepsTenant = replaced.customers.some((tenant) => tenants.includes(tenant));
  if (!isAfterAdvert || !keepsTenant || replaced.rent.currency !== asked.currency) return asked;
  return isWithin(asked, replaced.rent) ? replaced.rent : asked;
}

/** @throws {ApiError} `parameter_invalid` for another currency than that of the ledger or the deposit. */
function requireCurrency(current: TenancyRecord, after: TenancyRecord, deposit: DepositRecord | null): void {
  const { currency } = after.rent;
  if (current.ledger_sequence > 0 && current.rent.currency !== currency)
    throw invalidParameter(
      'rent[currency]',
      `The tenancy ${current.id} has a ledger in ${current.rent.currency}. Cancel it, and draft another one in ${currency}.`,
    );
  if (deposit && deposit.status !== 'settled' && deposit.currency !== currency)
    throw invalidParameter(
      'rent[currency]',
      `The deposit ${deposit.id} of the tenancy ${current.id} is in ${deposit.currency}. First ${heldOf(deposit) > 0 ? 'release' : 'cancel'} it.`,
    );
}

/** @throws {ApiError} `parameter_invalid` if the end, or an increase of the rent, is before the start. */
function requireDaysInOrder(
  {
    start_date: start,
    end_date: end,
    rent_increased_on: increasedOn,
  }: Pick<TenancyRecord, 'start_date' | 'end_date' | 'rent_increased_on'>,
  caller: Caller,
): void {
  if (end !== null && end < start)
    throw invalidParameter(
      'end_date',
      `\`end_date\` is ${end}, which is before \`start_date\`, ${start}. Correct one of them.`,
    );
  if (increasedOn === null) return;
  requireNotFuture('rent_increased_on', increasedOn, caller);
  if (increasedOn <= start)
    throw invalidParameter(
      'rent_increased_on',
      `The tenancy starts on ${start}, so its rent can rise after that day only. Correct \`rent_increased_on\`, or leave it out.`,
    );
}
