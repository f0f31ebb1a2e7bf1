import { store } from './store.ts';

/** Why there is no session: it ended, the person ended it, or another person's took its place. */
export type Ending = 'ended' | 'signed_out' | 'replaced';

const ending = store<Ending | null>(null);

/** Returns why the session is over. Null as long as no request has told that it is. */
export const useEnding = ending.use;

/** Notes that the session is over. All pages then give way to one that says what to do. */
export function endSession(reason: Ending): void {
  ending.set(reason);
}

/** Notes that a link has begun a session. */
export function beginSession(): void {
  ending.set(null);
}

/** The person of this window. Null until their page is read. */
let person: string | null = null;

/** The windows of a browser share one cookie. So the link of another person takes over all of them. */
const otherWindows = new BroadcastChannel('tenure-portal');

/** Notes the person of this window. Windows of other persons end, because they would send in the name of this one. */
export function notePerson(id: string): void {
  person = id;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no target.
  otherWindows.postMessage(id);
}

otherWindows.addEventListener('message', ({ data }) => {
  if (person !== null && data !== person) endSession('replaced');
});

/**
 * The token of the link, from the fragment of the address. It leaves the address at once, so that neither the history of the browser nor a
 * screenshot keeps it.
 */
const token = store(takeToken());

/** Returns the token of the link that was opened. Null if there was none, or it was used. */
export const useToken = token.use;

/** Forgets the token, because the link works once. */
export function forgetToken(): void {
  token.set(null);
}

function takeToken(): string | null {
  const found = location.hash.slice(1);
  if (found === '') return null;
  history.replaceState(null, '', location.pathname + location.search);
  return found;
}

// A person can open another link in the same window: only the fragment then changes.
addEventListener('hashchange', () => token.set(takeToken() ?? token.get()));
