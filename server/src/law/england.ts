import { addDays, addMonths, daysBetween, periodAt, type Anchor, type Day, type Rhythm } from '../core/calendar.ts';
import type { Rules } from '../core/vocabulary/law-rules.ts';
import { nearestName } from '../core/nearest.ts';
import { fees, reformed, severityOf, type Check } from './check.ts';
import { dueBy } from './deadlines.ts';
import type {
  AdvertFacts,
  BidFacts,
  IncreaseFacts,
  InvoiceFacts,
  LandlordNoticeFacts,
  PetFacts,
  RentFacts,
  RentPeriodFacts,
  Scope,
  SigningFacts,
  TenantNoticeFacts,
  TermFacts,
} from './facts.ts';
import { earliestEnd, noticeOfGrounds, periodInWords, yearOf } from './grounds.ts';
import { isWithin, largestWithin } from './rent.ts';

export const rentStated: Check<AdvertFacts> = {
  ...reformed,
  id: 'rent_stated',
  severity: 'error',
  source: 'Renters’ Rights Act 2025 s56(2)',
  description: 'A unit on the market states its rent.',
  judge({ onMarket, rent }) {
    if (!onMarket || rent !== null) return null;
    return {
      message:
        'A unit on the market must state its rent (Renters’ Rights Act 2025 s56(2)). Send `rent`, or take the unit off the market.',
      param: 'rent',
    };
  },
};

export const rentBid: Check<BidFacts> = {
  ...reformed,
  id: 'rent_bid',
  severity: 'error',
  source: 'Renters’ Rights Act 2025 s56(3)',
  description: 'No rent is above the lowest rent asked since the unit came on the market.',
  judge({ rent, lowestAsked }) {
    if (rent === null || lowestAsked === null) return null;
    if (rent.currency !== lowestAsked.currency) {
      return {
        message: `The rent must have the currency of the rent asked, to be compared (Renters’ Rights Act 2025 s56(3)). Send it in \`${lowestAsked.currency}\`.`,
        param: 'rent[currency]',
      };
    }
    if (isWithin(rent, lowestAsked)) return null;
    const limit = largestWithin(rent, lowestAsked);
    return {
      message: `The rent must not be above the lowest rent asked for the unit (Renters’ Rights Act 2025 s56(3)). Send an amount of at most ${limit} for this interval.`,
      param: 'rent[amount]',
      limit,
    };
  },
};

export const periodicOnly: Check<TermFacts> = {
  ...reformed,
  id: 'periodic_only',
  severity: 'error',
  source: 'Housing Act 1988 s4A(1)',
  description: 'An assured tenancy has no fixed term. It has no end until a notice or another end.',
  judge({ endDate, isEndedByNotice }) {
    if (endDate === null || isEndedByNotice) return null;
    return {
      message:
        'An assured tenancy has no fixed term, so it has no `end_date` without notice (Housing Act 1988 s4A(1)). Leave `end_date` out.',
      param: 'end_date',
    };
  },
};

/** Section 4A(3) allows periods of 28 days at most, and monthly ones. */
const weeksMax = 4;

export const rentPeriod: Check<RentPeriodFacts> = {
  ...reformed,
  id: 'rent_period',
  severity: 'error',
  source: 'Housing Act 1988 s4A(3)',
  description: 'A rent period of an assured tenancy is one month, or at most four weeks.',
  judge({ rent: { interval, interval_count: count = 1 } }) {
    if (interval === 'month' && count === 1) return null;
    if (interval === 'week' && count <= weeksMax) return null;
    const limit = interval === 'week' ? weeksMax : 1;
    const advice =
      interval === 'year'
        ? 'Send the interval `month` or `week`.'
        : `Send an \`interval_count\` of at most ${limit} for the interval \`${interval}\`.`;
    return {
      message: `A rent period of an assured tenancy is one month, or at most four weeks (Housing Act 1988 s4A(3)). ${advice}`,
      param: interval === 'year' ? 'rent[interval]' : 'rent[interval_count]',
      ...(interval !== 'year' && { limit }),
    };
  },
};

export const statementOfTerms: Check<SigningFacts> = {
  ...reformed,
  id: 'statement_of_terms',
  severity: 'warn',
  source: 'Housing Act 1988 s16D(4), SI 2026/324',
  description: 'The tenants get a written statement of terms by the day on which the tenancy is signed.',
  judge({ statementGivenOn, signedOn }) {
    if (statementGivenOn !== null && statementGivenOn <= signedOn) return null;
    const fault =
      statementGivenOn === null
        ? 'No statement is recorded: send `statement_given_on`.'
        : `It was given on ${statementGivenOn}.`;
    return {
      message: `The tenants must have a written statement of terms by ${signedOn}, the day of signing (Housing Act 1988 s16D(4), SI 2026/324). ${fault}`,
      param: 'statement_given_on',
      limit: signedOn,
    };
  },
};

export const rightToRent: Check<SigningFacts> = {
  id: 'right_to_rent',
  severity: 'warn',
  appliesTo: ['assured', 'licence', 'student'],
  source: 'Immigration Act 2014 s22',
  from: '2016-02-01',
  to: null,
  description: 'The right to rent of every tenant is checked and recorded.',
  judge({ unrecordedTenants }) {
    if (unrecordedTenants.length === 0) return null;
    return {
      message: `The landlord must check each tenant’s right to rent before the let (Immigration Act 2014 s22). Record \`right_to_rent\` of ${unrecordedTenants.join(', ')}.`,
      param: 'customers',
    };
  },
};

const tenantNoticeMonths = 2;

export const tenantNotice: Check<TenantNoticeFacts> = {
  ...reformed,
  id: 'tenant_notice',
  severity: 'warn',
  source: 'Protection from Eviction Act 1977 s5(1ZA); Crate v Miller [1947] KB 946; gov.uk guidance',
  description:
    'A tenant gives two months’ notice, or less if the landlord agrees in writing. It ends with a rent period or on the next rent day.',
  judge({ servedOn, endsOn, agreedInWriting, rentPeriods }) {
    const earliest = agreedInWriting ? servedOn : addMonths(servedOn, tenantNoticeMonths);
    const limit = endOfNoticeFrom(endsOn >= earliest ? endsOn : earliest, rentPeriods);
    if (endsOn === limit) return null;
    const choice =
      endsOn >= earliest ? `The next such day is ${limit}.` : `It passes with ${limit} or a later such day.`;
    return {
      message: `A tenant’s notice takes two months, unless less is agreed in writing, and ends with a rent period or on the next rent day (Protection from Eviction Act 1977 s5(1ZA), Crate v Miller [1947] KB 946, gov.uk guidance). ${choice}`,
      param: 'ends_on',
      limit,
    };
  },
};

/** Returns the first day from this one on with which a tenant's notice can end. It ends with a rent period, or on a rent day. */
function endOfNoticeFrom(day: Day, rentPeriods: Rhythm & Anchor): Day {
  const { start, end } = periodAt(rentPeriods, rentPeriods, day);
  return start === day ? start : end;
}

/**
 * Returns the earliest last day of a tenant's notice, unless less is agreed in writing. Null if no check of the account judges it.
 *
 * @param servedOn the day of service.
 */
export function earliestTenantNotice(
  rules: Rules,
  scope: Scope,
  servedOn: Day,
  rentPeriods: Rhythm & Anchor,
): Day | null {
  if (severityOf(rules, tenantNotice, servedOn, scope) === null) return null;
  return endOfNoticeFrom(addMonths(servedOn, tenantNoticeMonths), rentPeriods);
}

const groundsSource = 'Housing Act 1988 s8(4AA), Schedule 2';

export const landlordNotice: Check<LandlordNoticeFacts> = {
  ...reformed,
  id: 'landlord_notice',
  severity: 'error',
  source: 'Housing Act 1988 s8(4AA); Renters’ Rights Act 2025 Sch 1 paras 2-3',
  description:
    'A landlord’s notice names grounds of Schedule 2, and is as long as the longest period of these grounds. Grounds 1 and 1A need a tenancy of one year at its end.',
  judge({ servedOn, endsOn, grounds, startedOn }) {
    if (grounds.length === 0) {
      return {
        message: `A landlord’s notice must name at least one ground of possession (${groundsSource}). Send \`grounds\`, such as \`["8"]\`.`,
        param: 'grounds',
      };
    }
    let earliest = servedOn;
    let reason: string | null = null;
    for (const [index, ground] of grounds.entries()) {
      const period = noticeOfGrounds.get(ground);
      if (period === undefined) return unknownGround(ground, index);
      const day = earliestEnd(servedOn, period);
      if (day > earliest || reason === null)
        reason = `A notice on ground ${ground} needs ${periodInWords(period)} (${groundsSource}). Served on ${servedOn}`;
      if (day > earliest) earliest = day;
      const year = yearOf(ground, startedOn);
      if (year === null || year <= earliest) continue;
      reason = `A notice on ground ${ground} needs a tenancy of one year at its end (Renters’ Rights Act 2025 Sch 1 paras 2-3). For a tenancy from ${startedOn} on`;
      earliest = year;
    }
    if (endsOn >= earliest) return null;
    return { message: `${reason}, it can end on ${earliest} or later.`, param: 'ends_on', limit: earliest };
  },
};

function unknownGround(ground: string, index: number): { message: string; param: string } {
  const near = nearestName(ground, noticeOfGrounds.keys());
  const quoted = ground.slice(0, 20).toWellFormed();
  return {
    message: `\`${quoted}\` is not a ground of possession (${groundsSource}). ${near === null ? 'Send a ground such as `8` or `14A`.' : `Did you mean \`${near}\`?`}`,
    param: `grounds[${index}]`,
  };
}

export const rentBeforeSigning: Check<RentFacts> = {
  ...reformed,
  id: 'rent_before_signing',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 1 para 1(1A), s5A',
  description: 'No rent is demanded or paid before the tenancy is signed.',
  judge({ isSigned, signedOn, rentParam }) {
    if (isSigned || rentParam === null) return null;
    const advice =
      signedOn === null
        ? 'Sign the tenancy first.'
        : `The tenancy was signed on ${signedOn}, and the money came earlier. Correct the day that is wrong.`;
    return {
      message: `Rent must not be demanded or taken before the tenancy is signed (Tenant Fees Act 2019 Sch 1 para 1(1A), s5A). ${advice}`,
      param: rentParam,
    };
  },
};

/** Section 4B lets the rent of periods that end so early be due before the tenancy begins. */
const earlyDays = 28;

export const rentInAdvance: Check<InvoiceFacts> = {
  ...reformed,
  id: 'rent_in_advance',
  severity: 'error',
  source: 'Housing Act 1988 s4B',
  description: 'No rent is due before its period begins, except for the first days of the tenancy.',
  judge({ lines, dueOn, startDate, signedOn, rentPeriods }) {
    for (const [index, { type, period }] of lines.entries()) {
      if (type !== 'rent' || !period) continue;
      const lastBegins = addDays(period.end, 1 - longestDays(rentPeriods));
      const earliest = lastBegins > period.start ? lastBegins : period.start;
      if (dueOn >= earliest) continue;
      const isBeforeStart = signedOn !== null && signedOn <= dueOn && dueOn < startDate;
      const isFirst = period.start <= startDate && earliest === period.start;
      if (isBeforeStart && (isFirst || period.end < addDays(startDate, earlyDays))) continue;
      const fault =
        earliest === period.start
          ? `The period of line ${index + 1} begins on ${earliest}`
          : `Line ${index + 1} is for more than one rent period, and its last one begins on ${earliest}`;
      return {
        message: `Rent must not be due before its period begins (Housing Act 1988 s4B). ${fault}: send a \`due_on\` of ${earliest} or later.`,
        param: 'due_on',
        limit: earliest,
      };
    }
    return null;
  },
};

/** Returns the days of the longest period of a rent. A line of more days is for several periods. */
function longestDays({ interval, interval_count: count }: Rhythm): number {
  return { week: 7, month: 31, year: 366 }[interval] * count;
}

/** An increase begins so many months after its notice, and so many weeks after the last one. */
const increase = { noticeMonths: 2, weeks: 52, longWeeks: 53 };
/** A year of 52 weeks is shorter than a year. If an increase would come so many days before its anniversary, it waits for a week. */
const anniversaryDays = 6;

export const rentIncrease: Check<IncreaseFacts> = {
  ...reformed,
  id: 'rent_increase',
  severity: 'error',
  source: 'Housing Act 1988 s13(2)-(4A)',
  description: 'Rent rises only by a notice of two months, once in 52 weeks, or by a tribunal.',
  judge({ isIncrease, basis, servedOn, effectiveOn, startedOn, firstIncreaseOn, lastIncreaseOn }) {
    if (!isIncrease || basis === 'tribunal') return null;
    const source = '(Housing Act 1988 s13(2)-(4A))';
    if (basis !== 'section_13')
      return {
        message: `The rent of an assured tenancy rises only by a notice or a tribunal ${source}. Send \`basis: section_13\` or \`tribunal\`.`,
        param: 'basis',
      };
    if (servedOn === null)
      return {
        message: `A new rent needs a notice that was served two months before ${source}. Send its day in \`served_on\`.`,
        param: 'served_on',
      };
    const noticed = addMonths(servedOn, increase.noticeMonths);
    const spaced = earliestIncrease(startedOn, firstIncreaseOn, lastIncreaseOn);
    const earliest = noticed > spaced ? noticed : spaced;
    if (effectiveOn >= earliest) return null;
    return {
      message: `A new rent begins two months after its notice, and 52 weeks after the rent began or last rose, or later ${source}. Send the first day of a period from ${earliest} on.`,
      param: 'effective_on',
      limit: earliest,
    };
  },
};

/** Returns the first day on which the rent may rise again (section 13(2)(b), (c), (3A) and (3B)). */
function earliestIncrease(startedOn: Day, firstIncreaseOn: Day | null, lastIncreaseOn: Day | null): Day {
  if (firstIncreaseOn === null || lastIncreaseOn === null) return addDays(startedOn, 7 * increase.weeks);
  const usual = addDays(lastIncreaseOn, 7 * increase.weeks);
  // The anniversary that is nearest may be in the next year, for an increase in the first days of January.
  const years = Number(usual.slice(0, 4)) - Number(firstIncreaseOn.slice(0, 4));
  const isTooEarly = [years, years + 1].some((count) => {
    const before = daysBetween(usual, addMonths(firstIncreaseOn, 12 * count));
    return before > anniversaryDays && before <= 7 + anniversaryDays;
  });
  return isTooEarly ? addDays(lastIncreaseOn, 7 * increase.longWeeks) : usual;
}

export const permittedPayment: Check<InvoiceFacts> = {
  ...fees,
  id: 'permitted_payment',
  severity: 'error',
  source: 'Tenant Fees Act 2019 s3, Sch 1',
  description: 'No payment is demanded that the law does not permit.',
  judge({ lines }) {
    const index = lines.findIndex(({ type }) => type === 'other');
    if (index < 0) return null;
    return {
      message:
        'A landlord must not demand a payment that the law does not list (Tenant Fees Act 2019 s3, Sch 1). Send the `type` that fits, or remove the line.',
      param: `lines[${index}][type]`,
    };
  },
};

/** Interest is permitted only for rent that has been unpaid for 14 days. */
const unpaidDays = 14;

export const lateInterest: Check<InvoiceFacts> = {
  ...fees,
  id: 'late_interest',
  severity: 'error',
  source: 'Tenant Fees Act 2019 Sch 1 para 4(2)(b)',
  description: 'Interest is demanded only for rent that has been unpaid for 14 days. The rate is not checked.',
  judge({ lines }, day) {
    for (const [index, { type, unpaidSince, paidOn }] of lines.entries()) {
      if (type !== 'late_interest') continue;
      const earliest = unpaidSince === null ? null : addDays(unpaidSince, unpaidDays);
      if (earliest !== null && (paidOn ?? day) >= earliest) continue;
      const advice =
        earliest === null
          ? 'Name the late invoice, which has a line of rent, in `invoice` of the line.'
          : paidOn === null
            ? `For that invoice, it can be demanded on ${earliest} or later.`
            : `That invoice was paid on ${paidOn}.`;
      return {
        message: `Interest can be demanded only for rent that has been unpaid for ${unpaidDays} days (Tenant Fees Act 2019 Sch 1 para 4(2)(b)). ${advice}`,
        param: `lines[${index}][invoice]`,
        ...(earliest !== null && paidOn === null && { limit: earliest }),
      };
    }
    return null;
  },
};

/** A landlord has 28 days to answer, which the caller counts into `answerBy` (section 16A). */
export const petAnswer: Check<PetFacts> = {
  ...reformed,
  id: 'pet_answer',
  severity: 'warn',
  source: 'Housing Act 1988 s16A',
  description: 'A tenant’s request to keep a pet gets its answer by the day in `answer_by`.',
  judge({ openPetRequests }, day) {
    const [first] = openPetRequests.toSorted((one, other) => (one.answerBy < other.answerBy ? -1 : 1));
    if (!first) return null;
    const rule = `Answer the pet request ${first.number} by ${first.answerBy} (Housing Act 1988 s16A).`;
    return dueBy(first.answerBy, day, rule);
  },
};
