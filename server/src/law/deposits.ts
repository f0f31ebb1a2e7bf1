import type { Check, Failure } from './check.ts';
import { fees, reformed } from './check.ts';
import { dueBy } from './deadlines.ts';
import type {
  DepositDutyFacts,
  DepositFacts,
  HeldUnitFacts,
  HoldingDepositFacts,
  HoldingDutyFacts,
  HoldingRetentionFacts,
  PossessionFacts,
} from './facts.ts';
import { isYearlyFrom, weeksOf } from './rent.ts';

/* The checks of England about deposits. */

const holdingWeeksMax = 1;

export const holdingCap: Check<HoldingDepositFacts> = {
  ...fees,
  id: 'holding_cap',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 1 para 3(3)',
  description: 'A holding deposit is at most the rent of one week.',
  judge({ amount, received = 0, rent }) {
    const source = '(Tenant Fees Act 2019 Sch 1 para 3(3))';
    if (rent === null)
      return {
        message: `A holding deposit must not be more than a week’s rent ${source}, and no rent is known. Send \`rent\` to the application or to its unit first.`,
        param: 'application',
      };
    const cap = weeksOf(rent, holdingWeeksMax);
    if (amount <= cap) return null;
    const limit = Math.max(0, cap - received);
    return {
      message: `A holding deposit must not be more than a week’s rent ${source}. Send an \`amount\` of at most ${limit}.`,
      param: 'amount',
      limit,
    };
  },
};

export const holdingSingle: Check<HeldUnitFacts> = {
  ...fees,
  id: 'holding_single',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 1 para 3(5)',
  description: 'A landlord holds one holding deposit at a time for a home.',
  judge({ otherDeposit, param }) {
    if (otherDeposit === null) return null;
    return {
      message: `A landlord must not take a holding deposit while another one is held for the home (Tenant Fees Act 2019 Sch 1 para 3(5)). First return, retain or apply ${otherDeposit}.`,
      param,
    };
  },
};

export const holdingDeadline: Check<HoldingDutyFacts> = {
  ...fees,
  id: 'holding_deadline',
  severity: 'warn',
  source: 'Tenant Fees Act 2019 Sch 2 paras 2-5',
  description: 'A holding deposit is returned, applied or retained by the day in `repay_by`.',
  judge({ repayBy, isHeld, retainedOn }, day) {
    if (repayBy === null) return null;
    const source = '(Tenant Fees Act 2019 Sch 2 paras 2-5)';
    if (retainedOn !== null && retainedOn > repayBy)
      return {
        message: `The holding deposit was retained on ${retainedOn}. That was possible until ${repayBy} ${source}.`,
        param: null,
        limit: repayBy,
      };
    return isHeld ? dueBy(repayBy, day, `Return, apply or retain the holding deposit by ${repayBy} ${source}.`) : null;
  },
};

export const holdingRetention: Check<HoldingRetentionFacts> = {
  ...fees,
  id: 'holding_retention',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 2 paras 3-5',
  description: 'Nothing of a holding deposit is retained once the tenancy is signed. It is returned or applied.',
  judge({ signedOn }) {
    if (signedOn === null) return null;
    return {
      message: `The tenancy was signed on ${signedOn}, so its holding deposit is returned or applied, and not retained (Tenant Fees Act 2019 Sch 2 paras 3-5). Use \`return\` or \`apply\`.`,
      param: null,
    };
  },
};

/** Five weeks of rent, or six from a yearly rent of 50,000 pounds on. */
const depositWeeks = { usual: 5, high: 6, highYearlyRent: 5_000_000, currency: 'gbp' };

export const depositCap: Check<DepositFacts> = {
  ...fees,
  id: 'deposit_cap',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 1 para 2(3)',
  description: 'A deposit is at most the rent of five weeks, or of six from 50,000 pounds a year on.',
  judge({ amount, received = 0, rent, param = 'amount' }) {
    const isHigh = rent.currency === depositWeeks.currency && isYearlyFrom(rent, depositWeeks.highYearlyRent);
    const [weeks, words] = isHigh ? [depositWeeks.high, 'six'] : [depositWeeks.usual, 'five'];
    const cap = weeksOf(rent, weeks);
    if (amount <= cap) return null;
    const limit = Math.max(0, cap - received);
    return {
      message: `A deposit must not be more than ${words} weeks’ rent (Tenant Fees Act 2019 Sch 1 para 2(3)). Send an \`amount\` of at most ${limit}.`,
      param,
      limit,
    };
  },
};

/** The rules on protection apply to assured tenancies since this day. */
const protection = { appliesTo: ['assured'], from: '2012-04-06', to: null } as const;

export const depositProtection: Check<DepositDutyFacts> = {
  ...protection,
  id: 'deposit_protection',
  severity: 'warn',
  source: 'Housing Act 2004 s213(3)',
  description: 'A deposit is protected by a scheme within 30 days, by the day in `protect_by`.',
  judge({ protectBy, protectedOn, settledOn }, day) {
    const source = '(Housing Act 2004 s213(3))';
    return doneBy(protectBy, protectedOn, settledOn, day, {
      due: `Protect the deposit by ${protectBy} ${source}.`,
      late: `The deposit was protected on ${protectedOn}, after ${protectBy} ${source}.`,
    });
  },
};

export const depositInformation: Check<DepositDutyFacts> = {
  ...protection,
  id: 'deposit_information',
  severity: 'warn',
  source: 'Housing Act 2004 s213(5)-(6)',
  description: 'The tenants get the prescribed information within 30 days, by the day in `protect_by`.',
  judge({ protectBy, informationGivenOn, settledOn }, day) {
    const source = '(Housing Act 2004 s213(5)-(6))';
    return doneBy(protectBy, informationGivenOn, settledOn, day, {
      due: `Give the tenants the prescribed information by ${protectBy} ${source}.`,
      late: `The tenants got the prescribed information on ${informationGivenOn}, after ${protectBy} ${source}.`,
    });
  },
};

/** Judges a duty that is done late or in time. A deposit that is settled before its deadline needs it no more. */
function doneBy(
  deadline: string | null,
  doneOn: string | null,
  settledOn: string | null,
  day: string,
  { due, late }: { due: string; late: string },
): Failure | null {
  if (deadline === null) return null;
  if (doneOn !== null) return doneOn <= deadline ? null : { message: late, param: null, limit: deadline };
  if (settledOn !== null && settledOn <= deadline) return null;
  return dueBy(deadline, settledOn ?? day, due);
}

export const depositReturn: Check<DepositDutyFacts> = {
  ...protection,
  id: 'deposit_return',
  severity: 'warn',
  source: 'gov.uk guidance',
  description: 'A deposit is returned within 10 days of a proposal that is not disputed.',
  judge({ returnBy }, day) {
    if (returnBy === null) return null;
    return dueBy(returnBy, day, `Return the deposit less the agreed deductions by ${returnBy} (gov.uk guidance).`);
  },
};

/** A notice on these grounds needs no protected deposit. */
const groundsWithoutDeposit: ReadonlySet<string> = new Set(['7A', '14']);

export const possessionDeposit: Check<PossessionFacts> = {
  ...reformed,
  id: 'possession_deposit',
  severity: 'warn',
  source: 'Housing Act 2004 s215',
  description:
    'Before a landlord’s notice, the deposit is protected and the tenants are informed about it. Grounds 7A and 14 need neither.',
  judge({ servedOn, grounds, deposit }) {
    if (deposit === null || grounds.every((ground) => groundsWithoutDeposit.has(ground))) return null;
    const isDone = (doneOn: string | null): boolean => doneOn !== null && doneOn <= servedOn;
    if (isDone(deposit.protectedOn) && isDone(deposit.informationGivenOn)) return null;
    return {
      message:
        'A court grants no possession on a notice that was served before the deposit was protected and the tenants were informed (Housing Act 2004 s215). Do both, and serve a new notice.',
      param: 'served_on',
    };
  },
};
