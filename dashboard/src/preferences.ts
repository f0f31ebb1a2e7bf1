import { useSyncExternalStore } from 'react';

/** What a person set for this browser. None of it is secret. */
export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  density: 'normal' | 'compact';
  zone: 'local' | 'utc';
  /** Whether single keys such as `g` and `j` do something (WCAG 2.1.4). */
  hasSingleKeys: boolean;
  /** Whether the home page shows the first steps that are not done yet. */
  hasFirstSteps: boolean;
  /** Which of the two start pages opens. */
  home: 'office' | 'developers';
}

const storageKey = 'tenure.preferences';
const defaults: Preferences = {
  theme: 'system',
  density: 'normal',
  zone: 'local',
  hasSingleKeys: true,
  hasFirstSteps: true,
  home: 'developers',
};
const listeners = new Set<() => void>();
let current = { ...defaults, ...stored() };

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Changes preferences, and stores them if the browser allows that. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // A private window may have no storage. The change then lasts as long as the page.
  }
  applyPreferences();
  for (const listener of listeners) listener();
}

/** Puts theme and density on the document. The style sheet does the rest. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  dataset.theme = current.theme;
  dataset.density = current.density;
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}
