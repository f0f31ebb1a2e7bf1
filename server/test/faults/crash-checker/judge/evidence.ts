import type { Arrival, Cut, Kill, Operation, Outage } from '../history.ts';
import type { Observation } from '../observe.ts';
import type { Endpoint } from '../webhooks.ts';

/** All that the judge may know: what was sent and answered, and what the API shows now. */
export interface Evidence {
  operations: readonly Operation[];
  outages: readonly Outage[];
  observation: Observation;
  /** What the API showed at an earlier time; null at the first look. What was once seen must not vanish. */
  earlier: Observation | null;
  webhooks: WebhookEvidence;
}

/** What the checker's receivers got, and how much of it can be judged. */
export interface WebhookEvidence {
  endpoints: readonly Endpoint[];
  arrivals: readonly Arrival[];
  kills: readonly Kill[];
  cuts: readonly Cut[];
  /** So often a delivery is attempted before it is given up. */
  attemptsMax: number;
  /** Of older events, the observation has no deliveries. */
  sinceSeconds: number;
  /** When the observation was begun: what happened after it, it need not show. */
  readAtMs: number;
  /** Every delivery has had all the time that it may take. */
  isOver: boolean;
}

/** For a run that is not about webhooks. */
export function withoutWebhooks(): WebhookEvidence {
  const readAtMs = performance.now();
  return { endpoints: [], arrivals: [], kills: [], cuts: [], attemptsMax: 1, sinceSeconds: 0, readAtMs, isOver: true };
}

/** A promise that was broken. */
export interface Violation {
  rule: Rule;
  /** The record, operation, key or list that it is about; of deliveries, the event and the endpoint. */
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
