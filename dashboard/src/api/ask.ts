import { useSyncExternalStore } from 'react';
import { ApiError } from 'tenure';

/** What the server needs from the person before it carries out a request. */
export type Need = 'sign_in' | 'confirm';

interface Request {
  need: Need;
  done: Promise<boolean>;
  /** Ends the dialog. True sends the requests again. */
  settle(isMet: boolean): void;
}

let open: Request | null = null;
const listeners = new Set<() => void>();

/**
 * Sends a request. If it needs a session or a confirmation, a dialog asks for it, and the request is sent again. The page stays as it is
 * meanwhile, so that nothing typed is lost.
 *
 * @throws the error of the API, also if the person closes the dialog.
 */
export async function ask<T>(send: () => PromiseLike<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const need = needOf(error);
      if (need === null || !(await requestFrom(need))) throw error;
    }
  }
}

/** Asks the person to confirm that it is them, for a response that leaves a secret out until then. Returns whether they did. */
export function askToConfirm(): Promise<boolean> {
  return requestFrom('confirm');
}

/** Returns the open request for the person, for the dialog that shows it. */
export function useOpenRequest(): Request | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}

function needOf(error: unknown): Need | null {
  if (!(error instanceof ApiError)) return null;
  // Without a cookie, the server cannot know that there was a session.
  if (error.code === 'session_expired' || error.code === 'api_key_missing') return 'sign_in';
  return error.code === 'reauthentication_required' ? 'confirm' : null;
}

/** Opens the dialog, or joins the requests that wait for it already. */
function requestFrom(need: Need): Promise<boolean> {
  if (open) return open.done;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  open = {
    need,
    done: promise,
    settle(isMet) {
      open = null;
      notify();
      resolve(isMet);
    },
  };
  notify();
  return promise;
}

function notify(): void {
  for (const listener of listeners) listener();
}
