import type { KeyType } from '../core/api-keys.ts';

/** The interface that a request came through; logs tell it. */
export type Source = 'api' | 'dashboard' | 'portal';

/** The party behind a change, as logs and events show it. */
export interface Actor {
  type: 'user' | 'api_key' | 'agent' | 'system';
  /** Null for the system. */
  id: string | null;
  /** The name of the key, or the e-mail address of the user; null if it has none. */
  name: string | null;
  /** The API key that was used; null if none was. */
  key: { id: string; type: KeyType } | null;
  source: Source;
}

/** A party that makes requests, and what it may do. */
export interface Principal extends Actor {
  id: string;
  /** The account that pays for its requests: their rate, memory and concurrency. It is not always the account acted upon. */
  accountId: string;
  permissions: ReadonlySet<string>;
  /** Seconds; null if its rights have no end. */
  expiresAt: number | null;
}

/** The server itself. */
export const system: Actor = { type: 'system', id: null, name: 'Tenure', key: null, source: 'api' };

/** Returns the principal that an API key stands for. */
export function principalOfKey(key: {
  id: string;
  type: KeyType;
  name: string | null;
  accountId: string;
  permissions: ReadonlySet<string>;
  expiresAt: number | null;
}): Principal {
  const { id, type, name, accountId, permissions, expiresAt } = key;
  return {
    type: type === 'agent' ? 'agent' : 'api_key',
    id,
    name,
    key: { id, type },
    source: 'api',
    accountId,
    permissions,
    expiresAt,
  };
}
