import type { KeyType } from '../../core/secrets/api-keys.ts';
import type { ApprovalPolicy } from './approvals.ts';
import type { Renter } from './portal.ts';
import type { Role } from './roles.ts';

/** The interface of a request, as logs show it. */
export type Source = 'api' | 'dashboard' | 'portal';

/** The party behind a change, as logs and events show it. */
export interface Actor {
  type: 'user' | 'api_key' | 'agent' | 'system' | 'portal_session';
  /** Null for the system. */
  id: string | null;
  /** The name of the key, or the e-mail address of the user. Null if there is none. */
  name: string | null;
  /** The API key of the request. Null if it used none. */
  key: { id: string; type: KeyType } | null;
  source: Source;
  /** The person of a portal session. An erasure finds its logs by this id. Left out for others. */
  customerId?: string;
}

/** A party that makes requests, with its permissions. */
export interface Principal extends Actor {
  id: string;
  /** The account whose limits its requests use: rate, memory and concurrency. A request may act on another account. */
  accountId: string;
  permissions: ReadonlySet<string>;
  /** The expiry time, in seconds since the Unix epoch. Null if there is none. */
  expiresAt: number | null;
  /** Which of its requests wait for a person. `none` for all but keys of agents. */
  approvals: ApprovalPolicy;
  /** Whether a person has approved what it does: in an earlier step of a run of a workflow. Left out for others. */
  isApproved?: boolean;
  /** The person in a browser. Null for a key. */
  person: Person | null;
  /** The person of a portal session, which reaches only the routes of the portal. Left out for others. */
  renter?: Renter;
}

/** A user that is signed in. */
export interface Person {
  id: string;
  role: Role;
  sessionId: string;
  /** Until when dangerous changes need no new confirmation, in seconds of real time. Null if the person has not confirmed. */
  confirmedUntil: number | null;
  /** The account requires a second factor, and this person has none. */
  lacksSecondFactor: boolean;
}

/** The server itself. */
export const system: Actor = { type: 'system', id: null, name: 'Tenure', key: null, source: 'api' };

/**
 * Returns the actor that events show. Null for a person in the portal, which is none of their types (spec, event). Its log names the session.
 */
export function shownActor(actor: Actor): Actor | null {
  return actor.type === 'portal_session' ? null : actor;
}

/** Returns the id and the e-mail address of the user behind a change. Returns null if it was no user. */
export function userOf({ type, id, name }: Actor): { id: string; email: string | null } | null {
  return type === 'user' && id !== null ? { id, email: name } : null;
}

/** Returns the principal of an API key. */
export function principalOfKey(key: {
  id: string;
  type: KeyType;
  name: string | null;
  accountId: string;
  permissions: ReadonlySet<string>;
  expiresAt: number | null;
  approvals: ApprovalPolicy | null;
}): Principal {
  const { id, type, name, accountId, permissions, expiresAt, approvals } = key;
  return {
    type: type === 'agent' ? 'agent' : 'api_key',
    id,
    name,
    key: { id, type },
    source: 'api',
    accountId,
    permissions,
    expiresAt,
    approvals: (type === 'agent' && approvals) || 'none',
    person: null,
  };
}

/** Returns the principal of a session. */
export function principalOfPerson(
  person: Person & { email: string; accountId: string; permissions: ReadonlySet<string> },
): Principal {
  const { email, accountId, permissions, ...facts } = person;
  return {
    type: 'user',
    id: person.id,
    name: email,
    key: null,
    source: 'dashboard',
    accountId,
    permissions,
    expiresAt: null,
    approvals: 'none',
    person: facts,
  };
}

/** Returns the principal of a portal session. It has no permission: its features tell what it may do. */
export function principalOfRenter(renter: Renter, accountId: string): Principal {
  return {
    type: 'portal_session',
    id: renter.sessionId,
    name: null,
    key: null,
    source: 'portal',
    customerId: renter.customerId,
    accountId,
    permissions: new Set(),
    expiresAt: null,
    approvals: 'none',
    person: null,
    renter,
  };
}
