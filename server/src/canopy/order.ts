import { toSeconds } from '../core/clock.ts';

/*
 * The state of an order, in the words of the protocol (docs/providers/protocol.md), and how Canopy's messages change it. Every function
 * returns a new state, or the same one if the message says nothing new. So messages can come twice and in any order. Two exceptions are a
 * stopped connection and an invitation that was sent again. Both can happen again, so a late repeat of them counts.
 */

export type Stage =
  | 'NOT_STARTED'
  | 'INVITE_SENT'
  | 'IN_PROGRESS'
  | 'AWAITING_REFEREE'
  | 'IN_REVIEW'
  | 'DONE'
  | 'FAILED'
  | 'CANCELLED';

/** Canopy's words for results. The protocol has the same ones. */
const decisions = ['ACCEPT', 'VERIFY', 'CONSIDER', 'HIGH_RISK'] as const;

export type Decision = (typeof decisions)[number];

/** A result that Canopy has announced. It counts once Canopy has shown the document. */
export interface Announced {
  decision: Decision;
  /** The unit is not in Canopy's documents. */
  maxRent: number | null;
  /** The path of the PDF. */
  path: string;
}

export interface CanopyOrder {
  clientId: string;
  /** The `clientReferenceId` of Tenure, which is also that of Canopy. */
  key: string;
  /** The id of the order for Tenure. */
  requestId: string;
  /** Canopy's id of the request. Null while the answer to the order is not known. */
  canopyId: string | null;
  /** Requests that were replaced by one to another address. Their messages are ignored. */
  replacedIds: readonly string[];
  /** True if Canopy can have two requests to the same address, because the answer to the first one was lost. Both count. */
  isSentTwice: boolean;
  /** When the request was last sent to Canopy. */
  placedAtMs: number;
  /** A hash of the address that was invited. Null once the address cannot change any more. */
  emailHash: string | null;
  stage: Stage;
  decision: Decision | null;
  maxRent: number | null;
  announced: Announced | null;
  /** The result of the last update about the Rent Passport, in case its document does not arrive. */
  passportDecision: Decision | null;
  /** Each section of the Rent Passport, with its status. */
  sections: Readonly<Record<string, string>>;
  blocker: { code: string; text: string } | null;
  timeline: readonly { at: string; text: string }[];
  /** The signing secret is that of the time of the order. */
  callback: { url: string; signingSecret: string };
  /** The news that Tenure has taken. */
  toldNews: string;
}

/** The order of the stages that Canopy's messages lead through. A late message does not lead back. */
const ranks: Partial<Record<Stage, number>> = {
  NOT_STARTED: 0,
  INVITE_SENT: 1,
  IN_PROGRESS: 2,
  AWAITING_REFEREE: 3,
  IN_REVIEW: 4,
};

/** Days until a finished order loses its findings. Tenure has its report by then. */
const findingsDays = 30;

const dayMs = 24 * 60 * 60 * 1000;

const declined = { code: 'RENTER_DECLINED', text: 'The person does not share the check with you. Talk to the person.' };

/** Canopy's events about a request. */
const events: Readonly<
  Record<string, { text: string; stage?: Stage; blocker?: CanopyOrder['blocker']; isOnlyForWaiting?: boolean }>
> = {
  INVITED: { text: 'Canopy has invited the person.', stage: 'INVITE_SENT' },
  INVITE_RESENT: { text: 'Canopy has sent the invitation again.', stage: 'INVITE_SENT', blocker: null },
  CONNECTED: { text: 'The person has accepted the invitation.', stage: 'IN_PROGRESS', blocker: null },
  // A person that has accepted can only stop. So a late rejection is an old one.
  CONNECTION_REJECTED: { text: 'The person has rejected the invitation.', blocker: declined, isOnlyForWaiting: true },
  CONNECTION_STOPPED: { text: 'The person has stopped the connection.', blocker: declined },
  SENDING_COMPLETED_PASSPORT_FAILED: { text: 'Canopy could not send the finished Rent Passport.' },
  PASSPORT_COMPLETED: { text: 'The person has completed the Rent Passport.', stage: 'IN_REVIEW', blocker: null },
  INVALID_APPLICATION_DETAILS: { text: 'Canopy could not use the details of the person.', stage: 'FAILED' },
  PASSPORT_COMPLETED_WAITING_FOR_GUARANTOR: {
    // The dashboard reads from such a note that the service waits, and for which referee.
    text: 'Canopy has asked the guarantor, and waits for the Rent Passport of the guarantor.',
    stage: 'AWAITING_REFEREE',
    blocker: null,
  },
  GUARANTOR_REQUEST_CANCELLED: { text: 'The request to the guarantor was canceled.' },
};

const sectionNames: Readonly<Record<string, string>> = {
  INCOME: 'income',
  RENT: 'rent',
  CREDIT_CHECK: 'credit check',
  SAVINGS: 'savings',
  RENTAL_PREFERENCES: 'rental preferences',
  EMPLOYEE_REFERENCE: "employer's reference",
  EMPLOYER_REFERENCE: "employer's reference",
  LANDLORD_REFERENCE: "landlord's reference",
};

/** Tells whether an order has ended. A decision can still change. */
export function isOver({ stage }: CanopyOrder): boolean {
  return stage === 'DONE' || stage === 'FAILED' || stage === 'CANCELLED';
}

/** Tells whether the person can still be invited at another address. */
export function isWaiting({ stage }: CanopyOrder): boolean {
  return stage === 'NOT_STARTED' || stage === 'INVITE_SENT';
}

/** Returns when an order last changed in a way that Tenure shows, in milliseconds since the Unix epoch. */
export function newsMs({ timeline, placedAtMs }: CanopyOrder): number {
  const last = timeline.at(-1);
  return last ? Date.parse(last.at) : placedAtMs;
}

/** Returns an order without the personal data that it no longer needs, or the same one. */
export function tidied(order: CanopyOrder, nowMs: number): CanopyOrder {
  const hasFindings = order.timeline.length > 0 && isOver(order) && !order.announced;
  if (hasFindings && nowMs - newsMs(order) >= findingsDays * dayMs) {
    const empty = { ...order, emailHash: null, sections: {}, timeline: [], maxRent: null, passportDecision: null };
    // Without the notes, the same state would look like news.
    return { ...empty, toldNews: newsOf(empty) };
  }
  return order.emailHash === null || isWaiting(order) ? order : { ...order, emailHash: null };
}

/** Returns what a callback to Tenure would announce. */
export function newsOf({ stage, decision, maxRent, timeline, blocker }: CanopyOrder): string {
  return [stage, decision, maxRent, timeline.length, blocker?.code].join(' ');
}

/** Returns the event that a message names, or null. Canopy's documents give an event's message only a text, `notes`. */
export function eventIn(notes: string): string | null {
  return notes.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g)?.find((word) => Object.hasOwn(events, word)) ?? null;
}

/** Returns the words of a message that look like names of events. The rest can be about the person, so it is not for the log. */
export function namesIn(notes: string): string[] {
  return notes.match(/\b[A-Z]{1,30}(?:_[A-Z]{1,30}){1,8}\b/g)?.slice(0, 3) ?? [];
}

/** Tells whether a section of the Rent Passport is known. */
export function isSection(section: string): boolean {
  return Object.hasOwn(sectionNames, section);
}

/** Applies an event about the request. */
export function withEvent(order: CanopyOrder, event: string, nowMs: number): CanopyOrder {
  const known = events[event];
  if (!known || isOver(order)) return order;
  const { text, stage, blocker = order.blocker, isOnlyForWaiting = false } = known;
  if (isOnlyForWaiting && !isWaiting(order)) return order;
  // A person can reject, accept and stop more than once.
  const isRepeat = order.timeline.some((note) => note.text === text) && blocker?.code === order.blocker?.code;
  if (isRepeat) return order;
  const next = { ...withNote(order, text, nowMs), blocker };
  return stage === undefined ? next : withStage(next, stage);
}

/** Applies an update about a section of the Rent Passport. Of an unknown section, only the result of the whole counts. */
export function withSection(
  order: CanopyOrder,
  update: { section: string; status: string; result: string },
  nowMs: number,
): CanopyOrder {
  if (isOver(order)) return order;
  const { section, status, result } = update;
  const passportDecision = decisionIn(result) ?? order.passportDecision;
  if (!isSection(section) || order.sections[section] === status)
    return passportDecision === order.passportDecision ? order : { ...order, passportDecision };
  const next = withStage(
    { ...order, passportDecision, sections: { ...order.sections, [section]: status } },
    'IN_PROGRESS',
  );
  return status === 'DONE' ? withNote(next, `The ${sectionNames[section]} is done.`, nowMs) : next;
}

/** Remembers a result that Canopy has announced. A canceled or failed order gets none. */
export function withAnnounced(order: CanopyOrder, announced: Announced): CanopyOrder {
  if (order.stage === 'CANCELLED' || order.stage === 'FAILED') return order;
  const isKnown =
    order.stage === 'DONE' && order.decision === announced.decision && order.maxRent === announced.maxRent;
  if (isKnown) return order;
  return { ...withStage(order, 'IN_REVIEW'), announced };
}

/** Completes an order whose document Canopy has shown. */
export function withDocument(order: CanopyOrder, nowMs: number): CanopyOrder {
  const { announced } = order;
  if (!announced || order.stage === 'CANCELLED' || order.stage === 'FAILED') return { ...order, announced: null };
  const { decision, maxRent } = announced;
  const text = order.stage === 'DONE' ? 'Canopy has changed its result.' : 'Canopy has finished the check.';
  const ended = atStage(withNote(order, text, nowMs), 'DONE');
  return { ...ended, decision, maxRent, announced: null, blocker: null };
}

/** Stops an order. Canopy's documents have no call for it. */
export function canceled(order: CanopyOrder, nowMs: number): CanopyOrder {
  const ended = atStage(withNote(order, 'The check was canceled.', nowMs), 'CANCELLED');
  return { ...ended, announced: null, blocker: null };
}

/** Returns a result's word, or null if it is none. */
export function decisionIn(word: unknown): Decision | null {
  return decisions.find((known) => known === word) ?? null;
}

/** Returns the state for Tenure. */
export function stateOf(order: CanopyOrder): object {
  const { requestId, key, stage, decision, timeline, blocker } = order;
  return {
    requestId,
    clientReferenceId: key,
    stage,
    decision,
    progressPercent: progressOf(order),
    affordability: null,
    creditScore: null,
    sanctionsClear: null,
    timeline,
    blocker,
  };
}

const reasons: Record<Decision, string> = {
  ACCEPT: 'Canopy has found no issues.',
  VERIFY: 'Canopy has found no issues.',
  CONSIDER: 'Canopy has found a few issues to weigh.',
  HIGH_RISK: 'Canopy has found issues that point to a high risk.',
};

/** Returns the report for Tenure of an order that is done. It has only what Canopy's messages say. The PDF stays at Canopy. */
export function reportOf({ requestId, decision, maxRent, timeline }: CanopyOrder): object {
  return {
    requestId,
    decision,
    decisionReasons: [reasons[decision!], 'The details are in the Rent Passport at Canopy.'],
    affordability:
      maxRent === null
        ? null
        : {
            result: null,
            rentToIncomePercent: null,
            rent: null,
            verifiedAnnualIncome: null,
            sources: [`Canopy names a maximum rent of ${maxRent.toLocaleString('en')}.`],
          },
    credit: null,
    sanctions: null,
    checks: [],
    referees: [],
    timeline,
    complaints: { company: 'Canopy', contact: 'https://help.canopy.rent' },
  };
}

function withStage(order: CanopyOrder, stage: Stage): CanopyOrder {
  if (stage === 'FAILED') return { ...atStage(order, stage), blocker: null };
  const [now, next] = [ranks[order.stage], ranks[stage]];
  return now !== undefined && next !== undefined && next > now ? atStage(order, stage) : order;
}

function atStage(order: CanopyOrder, stage: Stage): CanopyOrder {
  const next = { ...order, stage };
  return isWaiting(next) ? next : { ...next, emailHash: null };
}

function withNote(order: CanopyOrder, text: string, nowMs: number): CanopyOrder {
  const at = new Date(toSeconds(nowMs) * 1000).toISOString();
  return { ...order, timeline: [...order.timeline, { at, text }] };
}

function progressOf({ stage, sections }: CanopyOrder): number | null {
  if (stage === 'DONE') return 100;
  const statuses = Object.values(sections);
  if (statuses.length === 0) return null;
  return Math.round((100 * statuses.filter((status) => status === 'DONE').length) / (statuses.length + 1));
}
