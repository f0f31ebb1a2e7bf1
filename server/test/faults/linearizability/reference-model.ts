import { createHash } from 'node:crypto';
import { errorCodeOf, type Answered } from '../crash-checker/history.ts';
import { isObject, parseObject, textOf, type Json, type JsonObject } from '../crash-checker/json.ts';
import type { Model } from './checker.ts';

/** A client's wish for one reference. Only clients change what the model knows of it. */
export interface Wish {
  kind: 'create' | 'retrieve' | 'list' | 'update' | 'cancel';
  /** The body of an update. */
  body: JsonObject | null;
  /** The `Idempotency-Key`. */
  key: string | null;
}

/** The response as a client saw it. */
export interface Result {
  told: Response;
  /** `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** The digest of the body's bytes. A replay has the same bytes. */
  digest: string;
}

/** The reference, its absence, or a refusal. */
type Response = View | 'none' | `refused: ${string}`;

/** The members that clients change, as they are shown. */
interface View {
  id: string;
  status: string;
  outcome: string | null;
  reference_pdf: string | null;
  metadata: JsonObject;
  isCompletedAtShown: boolean;
}

interface State {
  /** Null before it is made. */
  reference: View | null;
  /** The use of each key, and the response that it stands for. The bytes are unknown until a client has got them. */
  answers: Readonly<Record<string, ReplayedResponse>>;
  /** The same for the same responses, in any order. */
  answersMark: bigint;
}

interface ReplayedResponse {
  wish: string;
  told: Response;
  digest: string | null;
}

/**
 * Models a reference and the idempotency keys used on it, by the contract alone: one operation after the other.
 * @param id of the reference that all operations are about.
 */
export function referenceModel(id: string): Model<State, Wish, Result> {
  return {
    initial: { reference: null, answers: {}, answersMark: 0n },
    // A mark replaces the responses, because their whole text would take most of the time of a search.
    textOf: ({ reference, answersMark }) => `${JSON.stringify(reference)} ${answersMark.toString(36)}`,
    apply(state, wish, result) {
      const stored = wish.key === null ? undefined : state.answers[wish.key];
      if (stored) return repeat(state, wish, result, stored);
      const { told, after } = carryOut(state.reference, wish, id);
      if (result && (result.replayed || !isSame(result.told, told))) return null;
      if (wish.key === null) return { ...state, reference: after };
      const answer = { wish: textOfWish(wish), told, digest: result?.digest ?? null };
      return withAnswer({ ...state, reference: after }, wish.key, answer);
    },
  };
}

/** Converts a response into the model's terms. */
export function resultOf(answer: Answered): Result {
  return {
    told: toldBy(answer),
    replayed: answer.replayed,
    digest: createHash('sha1').update(answer.text).digest('base64'),
  };
}

/** Applies a used key. The same wish gets the same response, and every other wish is refused. There is no further effect. */
function repeat(state: State, wish: Wish, result: Result | null, stored: ReplayedResponse): State | null {
  if (!result) return state;
  if (stored.wish !== textOfWish(wish)) return result.told === keyReused ? state : null;
  const isStoredAnswer =
    result.replayed && isSame(result.told, stored.told) && (stored.digest ?? result.digest) === result.digest;
  if (!isStoredAnswer) return null;
  if (stored.digest !== null) return state;
  return withAnswer(state, wish.key!, { ...stored, digest: result.digest });
}

function withAnswer(state: State, key: string, answer: ReplayedResponse): State {
  const earlier = state.answers[key];
  const answersMark = state.answersMark ^ markOf(key, answer) ^ (earlier ? markOf(key, earlier) : 0n);
  return { ...state, answers: { ...state.answers, [key]: answer }, answersMark };
}

/** Returns 160 bits, different for each response. */
function markOf(key: string, answer: ReplayedResponse): bigint {
  return BigInt(
    `0x${createHash('sha1')
      .update(JSON.stringify([key, answer]))
      .digest('hex')}`,
  );
}

/** The refusal of another wish with a used key. */
export const keyReused = 'refused: idempotency_key_reused';

const forbidden = 'refused: status_transition_invalid';

function carryOut(reference: View | null, wish: Wish, id: string): { told: Response; after: View | null } {
  switch (wish.kind) {
    case 'retrieve':
    case 'list':
      return { told: reference ?? 'none', after: reference };
    case 'create': {
      const made: View = {
        id,
        status: 'pending',
        outcome: null,
        reference_pdf: null,
        metadata: {},
        isCompletedAtShown: false,
      };
      return { told: made, after: made };
    }
    case 'update':
    case 'cancel': {
      if (!reference) return { told: 'none', after: null };
      const after = wish.kind === 'cancel' ? canceled(reference) : updated(reference, wish.body ?? {});
      return after ? { told: after, after } : { told: forbidden, after: reference };
    }
  }
}

function canceled(reference: View): View | null {
  return reference.status === 'complete' || reference.status === 'canceled'
    ? null
    : { ...reference, status: 'canceled' };
}

/** @returns null if the state forbids it. */
function updated(reference: View, body: JsonObject): View | null {
  const { status } = reference;
  const isMetadataAlone = Object.keys(body).every((name) => name === 'metadata');
  if (status === 'canceled' && !isMetadataAlone) return null;
  if (body.status !== undefined && status === 'complete') return null;
  const completes = body.outcome !== undefined && body.status === undefined;
  return {
    ...reference,
    status: completes ? 'complete' : body.status !== undefined ? 'processing' : status,
    outcome: (body.outcome as string | undefined) ?? reference.outcome,
    reference_pdf: (body.reference_pdf as string | undefined) ?? reference.reference_pdf,
    metadata: merged(reference.metadata, body.metadata),
    isCompletedAtShown: reference.isCompletedAtShown || completes,
  };
}

/** An empty text removes a pair. The pairs are sorted, so that equal metadata has equal text. */
function merged(metadata: JsonObject, input: Json | undefined): JsonObject {
  const pairs = Object.entries({ ...metadata, ...(isObject(input) ? input : {}) });
  return Object.fromEntries(
    pairs.filter(([, value]) => value !== '').sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function toldBy(answer: Answered): Response {
  if (answer.status === 404) return 'none';
  const body = answer.status === 200 ? parseObject(answer.text) : null;
  if (!body) return `refused: ${errorCodeOf(answer) || answer.status}`;
  if (body.object !== 'list') return viewOf(body);
  const data = body.data as JsonObject[];
  if (data.length === 0 && body.count === 0) return 'none';
  if (data.length === 1 && body.count === 1) return viewOf(data[0]!);
  return `refused: a list of ${data.length} with the count ${JSON.stringify(body.count)}`;
}

function viewOf(body: JsonObject): View {
  return {
    id: textOf(body, 'id'),
    status: textOf(body, 'status'),
    outcome: (body.outcome ?? null) as string | null,
    reference_pdf: attachedFile(body),
    metadata: merged({}, body.metadata),
    isCompletedAtShown: typeof body.completed_at === 'number',
  };
}

/** The server issues reports of its own. Their ids are those of its files. Clients attach files of another system, which no report replaces. */
function attachedFile({ reference_pdf: pdf = null }: JsonObject): string | null {
  return typeof pdf === 'string' && !/^file_[0-9A-Za-z]{22}$/.test(pdf) ? pdf : null;
}

function isSame(left: Response, right: Response): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function textOfWish({ kind, body }: Wish): string {
  return JSON.stringify({ kind, body });
}
