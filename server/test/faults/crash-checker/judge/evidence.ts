import type { Arrival, Cut, Kill, Operation, Outage } from '../history.ts';
import type { Observation } from '../observe.ts';
import type { Endpoint } from '../webhooks.ts';

/** All that the judge may know: requests, their responses, and what the API shows now. */
export interface Evidence {
  operations: readonly Operation[];
  outages: readonly Outage[];
  observation: Observation;
  /** What the API showed at an earlier time; null at the first look. Anything seen once must not vanish. */
  earlier: Observation | null;
  webhooks: WebhookEvidence;
}

/** What the checker's receivers got, and how much of it can be judged. */
export interface WebhookEvidence {
  endpoints: readonly Endpoint[];
  arrivals: readonly Arrival[];
  kills: readonly Kill[];
  cuts: readonly Cut[];
  /** The attempts of a delivery before it fails. */
  attemptsMax: number;
  /** The observation has no deliveries of older events. */
  sinceSeconds: number;
  /** When the observation began. It need not show what happened later. */
  readAtMs: number;
  /** Whether every delivery has had all its time. */
  isOver: boolean;
}

/** Returns the evidence of a run without webhooks. */
export function withoutWebhooks(): WebhookEvidence {
  const readAtMs = performance.now();
  return { endpoints: [], arrivals: [], kills: [], cuts: [], attemptsMax: 1, sinceSeconds: 0, readAtMs, isOver: true };
}

/** A promise that was broken. */
export interface Violation {
  rule: Rule;
  /** The record, operation, key or list at fault; for deliveries, the event and the endpoint. */
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
  | 'never_answered'
  | 'event_not_delivered'
  | 'delivery_without_event'
  | 'attempt_untrue'
  | 'duplicate_without_reason'
  | 'bad_signature'
  | 'wrong_headers';

export type Report = (rule: Rule, about: string, message: string) => void;
