import type { Day } from '../core/calendar.ts';
import { ApiError } from '../core/errors.ts';
import type { Rules } from '../core/vocabulary/law-rules.ts';
import { severityOf, type Check } from './check.ts';
import * as deposits from './deposits.ts';
import * as england from './england.ts';
import type {
  AdvertFacts,
  BidFacts,
  DepositDutyFacts,
  DepositFacts,
  HoldingDepositFacts,
  HoldingDutyFacts,
  HoldingRetentionFacts,
  IncreaseFacts,
  InvoiceFacts,
  LandlordNoticeFacts,
  PetFacts,
  PossessionFacts,
  RentFacts,
  RentPeriodFacts,
  Scope,
  SigningFacts,
  TenantNoticeFacts,
  TermFacts,
} from './facts.ts';

/** The facts of each act that is judged. */
export interface Acts {
  /** A unit is put on the market, or changes there. */
  advertise: AdvertFacts;
  /** An application names a rent. */
  offer_rent: BidFacts;
  /** A tenancy is drafted or its draft changes. */
  draft: BidFacts & TermFacts & RentPeriodFacts;
  /** A tenancy is signed. The day of the act is that of signing. */
  sign: BidFacts & TermFacts & RentPeriodFacts & SigningFacts;
  /** The duties at signing, which a later update can meet. The day of the act stays that of signing. */
  signed: SigningFacts;
  /** The day of the act is that of service. */
  tenant_notice: TenantNoticeFacts;
  /** The day of the act is that of service. */
  landlord_notice: LandlordNoticeFacts & PossessionFacts;
  /** The deadlines of pet requests, today. */
  answer_pets: PetFacts;
  /** An invoice is finalized. */
  invoice: InvoiceFacts;
  /** The amount of the rent is to change. The day of the act is that of service, else today. */
  increase_rent: IncreaseFacts;
  /** Rent is paid. */
  pay: RentFacts;
  /** A holding deposit is agreed. */
  take_holding_deposit: HoldingDepositFacts;
  /** A holding deposit is retained. */
  retain_holding_deposit: HoldingDutyFacts & HoldingRetentionFacts;
  /** The deadline of a holding deposit, today. */
  hold_holding_deposit: HoldingDutyFacts;
  /** A tenancy deposit is agreed. */
  take_deposit: DepositFacts;
  /** The deadlines of a tenancy deposit, today. */
  hold_deposit: DepositDutyFacts;
}

export type ActName = keyof Acts;

type ChecksOf = { [Act in ActName]: readonly Check<Acts[Act]>[] };

const drafted = [england.rentBid, england.periodicOnly, england.rentPeriod];
const signed = [england.statementOfTerms, england.rightToRent];

const checksOf: ChecksOf = {
  advertise: [england.rentStated],
  offer_rent: [england.rentBid],
  draft: drafted,
  sign: [...drafted, ...signed],
  signed,
  tenant_notice: [england.tenantNotice],
  landlord_notice: [england.landlordNotice, deposits.possessionDeposit],
  answer_pets: [england.petAnswer],
  invoice: [england.permittedPayment, england.lateInterest, england.rentBeforeSigning, england.rentInAdvance],
  increase_rent: [england.rentIncrease],
  pay: [england.rentBeforeSigning],
  take_holding_deposit: [deposits.holdingCap, deposits.holdingSingle],
  retain_holding_deposit: [deposits.holdingRetention, deposits.holdingDeadline],
  hold_holding_deposit: [deposits.holdingDeadline],
  take_deposit: [deposits.depositCap],
  hold_deposit: [deposits.depositProtection, deposits.depositInformation, deposits.depositReturn],
};

/** Acts that only look again at a duty. They warn even where the account made the check an error: there is no request to refuse. */
const standing: ReadonlySet<ActName> = new Set(['signed', 'answer_pets', 'hold_holding_deposit', 'hold_deposit']);

/** A failed check that refuses the act. */
export interface Refusal {
  /** The check's id. */
  id: string;
  message: string;
  param: string | null;
  /** The largest amount or earliest day that would pass. Null if there is none. */
  limit: number | Day | null;
}

/** A failed check that the record keeps. */
export interface Warning {
  /** The check's id. */
  id: string;
  message: string;
}

export interface Judgement {
  /** The first failed check with severity `error`. Null if none failed. */
  refusal: Refusal | null;
  warnings: Warning[];
  /** The ids of all checks of the act, also of those that are off or not in force. */
  judged: readonly string[];
}

/**
 * Judges an act by the checks in force on its day, for the place and type of the let. The account's rules replace the severity of a
 * check, or turn it off. Jurisdictions other than England have no checks.
 *
 * @param day the day of the act: of signing, of service, else today.
 */
export function judge<Act extends ActName>(rules: Rules, act: Act, day: Day, facts: Scope & Acts[Act]): Judgement {
  const checks: readonly Check<Acts[Act]>[] = checksOf[act];
  const judgement: Judgement = { refusal: null, warnings: [], judged: checks.map(({ id }) => id) };
  for (const check of checks) {
    const severity = severityOf(rules, check, day, facts);
    if (severity === null) continue;
    const failure = check.judge(facts, day);
    if (failure === null) continue;
    const { message, param, limit = null } = failure;
    if (severity === 'warn' || standing.has(act)) judgement.warnings.push({ id: check.id, message });
    else judgement.refusal ??= { id: check.id, message, param, limit };
  }
  return judgement;
}

/**
 * Refuses an act that failed a check with severity `error`.
 *
 * @throws {ApiError} `check_failed`, with the check's id.
 */
export function refuseFailed({ refusal }: Pick<Judgement, 'refusal'>): void {
  if (refusal === null) return;
  const { id, message, param } = refusal;
  throw new ApiError('check_failed', message, { check: id, ...(param !== null && { param }) });
}
