import { useMemo, type ReactNode } from 'react';
import type { ApiKey } from 'tenure';
import type { Choice } from '@tenure/ui';
import { keysRead } from '../../api/reads.ts';
import { useRead } from '../../api/requests.ts';
import { useUser } from '../../api/session.ts';

const none: never[] = [];

/** Returns the name of a key, or its kind if it has none. */
export function nameOfKey({ name, type }: Pick<ApiKey, 'name' | 'type'>): string {
  return name ?? `${type} key`;
}

/** The name of a key by its id. A role that may not read keys sees the id. All places share one request. */
export function KeyName({ id }: { id: string }): ReactNode {
  const key = useKeys().find((each) => each.id === id);
  return key === undefined ? <code>{id}</code> : labelOf(key);
}

/** Returns the keys as choices of a filter. */
export function useKeyChoices(): Choice[] {
  const keys = useKeys();
  return useMemo(() => keys.map((key) => ({ id: key.id, name: labelOf(key) })), [keys]);
}

/** Returns the name with the last characters, because names repeat. */
function labelOf(key: ApiKey): string {
  return `${nameOfKey(key)} …${key.last_four}`;
}

function useKeys(): readonly ApiKey[] {
  const isOn = useUser().permissions.includes('api_keys.read');
  return useRead(keysRead, {}, { isOn }).data ?? none;
}
