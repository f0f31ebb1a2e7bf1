import type { Operation, Outage } from '../history.ts';
import type { Observation } from '../observe.ts';

/** All that the judge may know: what was sent and answered, and what the API shows now. */
export interface Evidence {
  operations: readonly Operation[];
  outages: readonly Outage[];
  observation: Observation;
  /** What the API showed at an earlier time; null at the first look. What was once seen must not vanish. */
  earlier: Observation | null;
}

/** A promise that was broken. */
export interface Violation {
  rule: Rule;
  /** The record, operation, key or list that it is about. */
  about: string;
  message: string;
}

export type Rule =
  | 'lost_record'
  | 'duplicated_record'
  | 'unasked_record'
  | 'wrong_count'
  | 'lost_event'
  | 'duplicated_event'
  | 'unasked_event'
  | 'changed_event'
  | 'broken_chain'
  | 'lost_update'
  | 'impossible_transition'
  | 'wrong_effect'
  | 'two_effects'
  | 'effect_of_refusal'
  | 'wrong_answer'
  | 'wrong_replay'
  | 'wrong_order'
  | 'unexpected_answer'
  | 'never_answered';

export type Report = (rule: Rule, about: string, message: string) => void;
