/*
 * The law of lets, as dated data. `docs/law.md` explains it to people.
 *
 * A check (`check.ts`) is a rule with a source and the days on which it is in force. It judges plain facts (`facts.ts`), and is pure. The
 * checks of England are in `england.ts`, those about deposits in `deposits.ts`.
 *
 * An act (`judge.ts`), such as signing, has several checks. It is judged by the day of the act. `judge` returns the refusal and the warnings.
 * The record keeps the warnings (`raised-checks.ts`). The account's rules (`core/vocabulary/law-rules.ts`) turn checks off, or change what they do.
 *
 * To add a check, write a constant beside the others. Name it in an act, in `rulesets.ts` and in `docs/law.md`. Test both sides of its
 * limit. If a rule changes, add a check with another id. The old check gets its last day in `to`, because acts of the past keep their law.
 */

export { tenancyTypes, jurisdictions } from './facts.ts';
export type { Jurisdiction, Rent, Scope, TenancyType } from './facts.ts';
export { judge, refuseFailed } from './judge.ts';
export type { ActName, Acts, Judgement } from './judge.ts';
export { earliestTenantNotice, rightToRent } from './england.ts';
export { mergeWarnings, RaisedChecks, reviseWarning } from './raised-checks.ts';
export type { RaisedCheck } from './raised-checks.ts';
export { nextDeadlineOn } from './deadlines.ts';
export { checksOn, rulesets } from './rulesets.ts';
export { isWithin } from './rent.ts';
export { retentionBases, retentionKinds, retentionsOn } from './legal-retention.ts';
