import { useState } from 'react';

/** What a person has typed into a form about a stored record. */
export interface Edits<T extends object> {
  /** The stored values, with those of the person in their place. */
  value: T;
  /** The values that differ from the stored ones. Only these may be sent: the other fields may have changed meanwhile. */
  changes: Partial<T>;
  isChanged: boolean;
  set: (part: Partial<T>) => void;
  /** Forgets values that have been stored. Those typed since then stay. */
  forget: (stored: Partial<T>) => void;
}

/**
 * Keeps what a person changes in a form. All other fields follow the record, also when it is read again. So a form that began with an old
 * record neither shows nor sends its values as the person's own.
 */
export function useEdits<T extends object>(stored: T): Edits<T> {
  const [edits, setEdits] = useState<Partial<T>>({});
  const changes = partOf(edits, (name) => !isSame(edits[name], stored[name]));
  return {
    value: { ...stored, ...edits },
    changes,
    isChanged: Object.keys(changes).length > 0,
    set: (part) => setEdits((known) => ({ ...known, ...part })),
    forget: (sent) => setEdits((known) => partOf(known, (name) => !(name in sent) || !isSame(known[name], sent[name]))),
  };
}

function partOf<T extends object>(values: Partial<T>, isKept: (name: keyof T) => boolean): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKept(name as keyof T))) as Partial<T>;
}

/** Compares values of JSON, such as texts and lists of texts. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
