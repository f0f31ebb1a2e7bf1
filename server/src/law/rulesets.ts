import type { Day } from '../core/calendar.ts';
import type { RulesetId } from '../core/vocabulary/law-rules.ts';
import { isInForce, type CheckFacts } from './check.ts';
import * as deposits from './deposits.ts';
import * as lets from './england.ts';

const england: readonly CheckFacts[] = [
  lets.rentStated,
  lets.rentBid,
  lets.periodicOnly,
  lets.rentPeriod,
  lets.statementOfTerms,
  lets.rightToRent,
  lets.tenantNotice,
  lets.landlordNotice,
  lets.petAnswer,
  lets.rentBeforeSigning,
  lets.rentInAdvance,
  lets.rentIncrease,
  lets.permittedPayment,
  lets.lateInterest,
  deposits.holdingCap,
  deposits.holdingSingle,
  deposits.holdingDeadline,
  deposits.holdingRetention,
  deposits.depositCap,
  deposits.depositProtection,
  deposits.depositInformation,
  deposits.possessionDeposit,
  deposits.depositReturn,
];

/** The checks of each ruleset that the API enforces, in and out of force. */
export const rulesets: Record<RulesetId, readonly CheckFacts[]> = { england, none: [] };

/** A check as the API shows it. */
export type ShownCheck = {
  id: string;
  severity: 'error' | 'warn';
  applies_to: string[];
  source: string;
  from: Day;
  to: Day | null;
  description: string;
};

/** Returns the checks that are in force on a day. */
export function checksOn(id: RulesetId, day: Day): ShownCheck[] {
  return rulesets[id].filter((check) => isInForce(check, day)).map(shown);
}

function shown({ id, severity, appliesTo, source, from, to, description }: CheckFacts): ShownCheck {
  return { id, severity, applies_to: [...appliesTo], source, from, to, description };
}
