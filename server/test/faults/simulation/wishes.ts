import type { StoredResponse, WriteDecision, WriteRequest, RequestFacts } from '../../../src/commit/write-request.ts';
import { decideAction, decideCreate, decideUpdate, renderRecord } from '../../../src/model/change.ts';
import { toSeconds } from '../../../src/core/clock.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { StoredRecord } from '../../../src/model/record.ts';
import type { Resource, RecordChange } from '../../../src/model/resource.ts';
import { UnavailableError } from '../../../src/db/pools.ts';
import { errorResponse, recordMissing } from '../../../src/http/response/errors.ts';
import { fingerprints, readStoredResponse, type Claim } from '../../../src/http/write/idempotency.ts';
import { customer } from '../../../src/resources/customer.ts';
import { reference } from '../../../src/resources/reference/index.ts';
import { callerAt } from '../../support/caller.ts';
import type { Life } from './life.ts';

export const wishKinds = {
  new_customer: 4,
  count_up: 5,
  new_reference: 2,
  complete: 2,
  cancel: 1,
  unknown_record: 0.5,
};
export type WishKind = keyof typeof wishKinds;

/** A client's wish, however often it is sent. */
export interface Wish {
  number: number;
  kind: WishKind;
  /** The record it is about; null if it makes one, or names one that does not exist. */
  target: string | null;
  key: string | null;
  asked: Asked[];
}

/** One request for it, and its response. */
export interface Asked {
  requestId: RequestFacts['id'];
  told: WishOutcome | null;
}

export type WishOutcome =
  | { kind: 'answered'; status: number; body: string; original: string | null }
  | { kind: 'in_use' }
  /** Nothing was written. */
  | { kind: 'unavailable' }
  /** It is not known whether it was written. */
  | { kind: 'in_doubt' }
  | { kind: 'gone' }
  | { kind: 'fault'; message: string };

/** Sends a wish to a process, as its HTTP side does. Executes a wish with a key once, and then returns the stored response. */
export async function ask(life: Life, wish: Wish, asked: Asked): Promise<WishOutcome> {
  const { committer, reader, encryption, clock } = life;
  const { accountId } = life.world;
  const claim = claimOf(accountId, wish);
  const request = requestOf(life, wish, asked.requestId);
  const mutation: WriteRequest = {
    accountId,
    payer: { accountId, rootId: accountId },
    request,
    claim,
    locks: wish.target === null ? [] : [wish.target],
    decide: () => decide(life, wish, asked.requestId),
  };
  try {
    const outcome = await committer.commit(mutation);
    switch (outcome.kind) {
      case 'committed':
        return { kind: 'answered', ...partsOf(outcome.response!), original: null };
      case 'key_locked':
        return { kind: 'in_use' };
      case 'refused':
        return { kind: 'fault', message: String(outcome.error) };
      case 'key_completed':
    }
    const stored = await readStoredResponse({ reader, encryption }, accountId, claim!, request.startedMs);
    if (!stored) return { kind: 'in_use' };
    const logged = await committer.commit({
      ...mutation,
      request: { ...request, startedMs: clock.nowMs(), originalRequest: stored.requestId },
      claim: null,
      decide: async () => ({ changes: [], response: stored }),
    });
    if (logged.kind !== 'committed') return { kind: 'fault', message: `The log was not written: ${logged.kind}.` };
    return { kind: 'answered', ...partsOf(stored), original: stored.requestId };
  } catch (error) {
    if (error instanceof UnavailableError) return { kind: error.inDoubt ? 'in_doubt' : 'unavailable' };
    return { kind: 'fault', message: String(error) };
  }
}

function partsOf({ status, body }: StoredResponse): { status: number; body: string } {
  return { status, body };
}

function claimOf(accountId: string, { key, kind, target }: Wish): Claim | null {
  if (key === null) return null;
  const wanted = { method: 'POST', path: kind, query: '', withContext: false, body: { target } };
  return { name: `${accountId} ${accountId} ${key}`, keyAccountId: accountId, key, ...fingerprints(wanted) };
}

function requestOf(life: Life, wish: Wish, id: RequestFacts['id']): RequestFacts {
  return {
    id,
    startedMs: life.clock.nowMs(),
    method: 'POST',
    url: `/${wish.kind}`,
    path: `/${wish.kind}`,
    ipAddress: null,
    userAgent: null,
    actor: {
      type: 'api_key',
      id: 'key_simulated',
      name: null,
      key: { id: 'key_simulated', type: 'secret' },
      source: 'api',
    },
    apiVersion: '2026-11-01',
    idempotencyKey: wish.key,
    body: JSON.stringify({ wish: wish.number }),
    originalRequest: null,
  };
}

async function decide(life: Life, wish: Wish, requestId: string): Promise<WriteDecision> {
  try {
    const change = await changeOf(life, wish);
    const nowSeconds = toSeconds(life.clock.nowMs());
    const body = JSON.stringify(renderRecord(change.resource, change.after!, { nowSeconds, realSeconds: nowSeconds }));
    return { changes: [change], response: { status: 200, body } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const links = { publicUrl: 'http://simulated.test', hasDashboard: true };
    return { changes: [], response: errorResponse(error, requestId, links, { isLogged: true }) };
  }
}

async function changeOf(life: Life, { kind, number, target }: Wish): Promise<RecordChange> {
  const { accountId } = life.world;
  const caller = callerAt(toSeconds(life.clock.nowMs()));
  switch (kind) {
    case 'new_customer':
      return decideCreate(customer, life.ids.make('cus'), accountId, { name: `Wish ${number}` }, caller).changes[0];
    case 'new_reference':
      return decideCreate(reference, life.ids.make('ref'), accountId, { application: `app_${number}` }, caller)
        .changes[0];
    case 'count_up': {
      const before = await recordOf(life, customer, target!);
      const metadata = { count: String(Number(before.metadata!.count ?? 0) + 1) };
      return decideUpdate(customer, before, { metadata }, caller).changes[0];
    }
    case 'complete':
      return decideUpdate(reference, await recordOf(life, reference, target!), { outcome: 'accept' }, caller)
        .changes[0];
    case 'cancel':
      return decideAction(reference, reference.actions!.cancel!, await recordOf(life, reference, target!), {}, caller)
        .changes[0];
    case 'unknown_record':
      throw recordMissing(customer, 'cus_unknown');
  }
}

async function recordOf(life: Life, resource: Resource, id: string): Promise<StoredRecord> {
  const record = await life.readRecord(resource, life.world.accountId, id);
  if (!record) throw recordMissing(resource, id);
  return record;
}
