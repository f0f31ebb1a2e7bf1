/** The rulesets that an account can choose. `none` has no checks. */
export const rulesetIds = ['england', 'none'] as const;
export type RulesetId = (typeof rulesetIds)[number];

/** What a failed check does: it refuses the request, is kept as a warning, or is not judged. */
export const severities = ['error', 'warn', 'off'] as const;
export type SeverityOverride = (typeof severities)[number];

/** The rules that an account has chosen. */
export interface Rules {
  ruleset: RulesetId;
  /** Other severities, by the id of a check. */
  checks: Partial<Record<string, SeverityOverride>>;
}

export const defaultRules: Rules = { ruleset: 'england', checks: {} };
export const defaultTimeZone = 'Europe/London';
export const defaultInvoicePrefix = 'INV';

/** The last day of an accounting year, as month and day. */
export const defaultYearEnd = '03-31';
