/*
 * The law of lets, as dated data. `docs/law.md` explains it to people.
 *
 * - A check (`check.ts`) is a rule with a source, the days on which it is in force, and a pure judgement of plain facts (`facts.ts`). The
 *   checks of England are in `england.ts`.
 * - An act (`judge.ts`), such as signing, has several checks. It is judged by the day of the act: `judge` returns the refusal, and the
 *   warnings that the record keeps (`raised-checks.ts`).
 * - The account's rules (`core/law-rules.ts`) turn checks off, or change what they do.
 *
 * A new check is a constant in `england.ts`, a place in an act, a row in `docs/law.md`, and tests on both sides of its limit. A changed rule
 * is a second constant with another id: the old one gets its last day in `to`, because acts of the past keep their law.
 */

export { tenancyTypes, jurisdictions } from './facts.ts';
export type { Jurisdiction, Rent, Scope, TenancyType } from './facts.ts';
export { judge, refuseFailed } from './judge.ts';
export type { ActName, Acts, Judgement, Refusal, Warning } from './judge.ts';
export { mergeWarnings, RaisedChecks } from './raised-checks.ts';
export type { RaisedCheck } from './raised-checks.ts';
export { nextDeadlineOn } from './deadlines.ts';
export { checksOn, rulesets } from './rulesets.ts';
