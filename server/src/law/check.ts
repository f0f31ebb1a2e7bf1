import type { Day } from '../core/calendar.ts';
import type { Rules } from '../core/vocabulary/law-rules.ts';
import type { Scope, TenancyType } from './facts.ts';

/** Why a check fails. */
export interface Failure {
  /** The rule, its source, and the largest or earliest value that would pass. */
  message: string;
  /** The parameter at fault. Null if none is. */
  param: string | null;
  /** The largest amount or earliest day that would pass. Left out if there is none. */
  limit?: number | Day;
}

/** What a check is, as `GET /v1/rulesets/{id}` shows it. */
export interface CheckFacts {
  id: string;
  /** `error`: the law forbids or voids it. `warn`: a duty of the landlord in the world. */
  severity: 'error' | 'warn';
  appliesTo: readonly TenancyType[];
  /** The Act and its section. */
  source: string;
  /** The first day on which it is in force. */
  from: Day;
  /** The last day. Null if it has none. */
  to: Day | null;
  description: string;
}

/** A rule with its judgement: a pure function of the facts and of the day of the act. */
export interface Check<Facts> extends CheckFacts {
  judge(facts: Facts, day: Day): Failure | null;
}

/** Returns whether a check is in force on a day. Both ends of its time are included. */
export function isInForce({ from, to }: CheckFacts, day: Day): boolean {
  return from <= day && (to === null || day <= to);
}

/** Returns what an account makes of a check for a let on a day. Null if the check does not judge it. Only England has checks. */
export function severityOf(
  { ruleset, checks }: Rules,
  check: CheckFacts,
  day: Day,
  { jurisdiction, type }: Scope,
): CheckFacts['severity'] | null {
  if (ruleset !== 'england' || (jurisdiction ?? 'england') !== 'england') return null;
  if (!check.appliesTo.includes(type) || !isInForce(check, day)) return null;
  const severity = checks[check.id] ?? check.severity;
  return severity === 'off' ? null : severity;
}

/** What all rules of the Renters’ Rights Act 2025 share. It changed private renting on this day. */
export const reformed = { appliesTo: ['assured'], from: '2026-05-01', to: null } as const;

/** The Tenant Fees Act 2019 has been in force for all tenancies of these types since this day. */
export const fees = { appliesTo: ['assured', 'licence', 'student'], from: '2019-06-01', to: null } as const;
