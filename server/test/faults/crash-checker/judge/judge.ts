import { judgeAnswers } from './answer-rules.ts';
import { openCase, type Case } from './case.ts';
import type { Chain } from './chains.ts';
import { judgeChains } from './chain-rules.ts';
import { judgeDeliveries } from './delivery-rules.ts';
import { judgeEffects } from './effect-rules.ts';
import type { Evidence, Report, Rule, Violation } from './evidence.ts';
import { judgeOrder } from './order-rules.ts';
import { judgeRecords } from './record-rules.ts';

/** Reports broken promises of one kind. */
type Judging = (opened: Case, report: Report) => void;

/** One rule for each kind of promise that the API makes. */
const rules: readonly Judging[] = [judgeAnswers, judgeRecords, judgeChains, judgeEffects, judgeOrder, judgeDeliveries];

/**
 * Returns every promise that the evidence shows broken, with one line for each cause if possible.
 * @param chains the changes of each record in their order, for runs in which ids do not show it.
 */
export function judge(evidence: Evidence, chains?: Map<string, Chain>): Violation[] {
  return judgeBy(rules, openCase(evidence, chains));
}

/** Judges by some rules alone. */
export function judgeBy(some: readonly Judging[], opened: Case): Violation[] {
  const found = new Map<string, Violation>();
  const report: Report = (rule, about, message) => {
    const key = `${rule} ${about}`;
    if (!found.has(key)) found.set(key, { rule, about, message });
  };
  for (const rule of some) rule(opened, report);
  return withoutConsequences([...found.values()]);
}

/** Rules whose finding hides a less precise one about the same record. */
const precededBy: Partial<Record<Rule, Rule[]>> = {
  broken_chain: ['lost_event', 'duplicated_event', 'lost_update', 'impossible_transition'],
  lost_update: ['lost_event', 'duplicated_event'],
  unasked_event: ['unasked_record', 'duplicated_record', 'lost_event'],
  lost_event: ['lost_record'],
  attempt_untrue: ['event_not_delivered', 'delivery_without_event'],
  duplicate_without_reason: ['event_not_delivered', 'delivery_without_event', 'attempt_untrue'],
};

function withoutConsequences(violations: Violation[]): Violation[] {
  const isFound = (rule: Rule, about: string): boolean =>
    violations.some((violation) => violation.rule === rule && violation.about === about);
  return violations.filter(({ rule, about }) => !precededBy[rule]?.some((cause) => isFound(cause, about)));
}
