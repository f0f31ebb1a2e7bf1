import { useSyncExternalStore } from 'react';

/** A value outside of components, which they follow. */
export interface Store<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** A hook that returns the value. */
  use: () => Value;
  /** Returns whether a component follows the value. */
  isUsed: () => boolean;
}

export function store<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  const get = (): Value => current;
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
    isUsed: () => listeners.size > 0,
  };
}
