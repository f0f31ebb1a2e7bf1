import { useCallback, useEffect, useState } from 'react';
import { PortalError, post, read } from './client.ts';
import { store, type Store } from './store.ts';

/*
 * What pages read and write. A page that is opened again shows what is known at once, and reads it anew. What was erased, or may not be
 * seen any more, is forgotten.
 */

/** The state of a read. */
export interface Read<T> {
  data: T | undefined;
  error: PortalError | null;
  retry: () => void;
}

interface Known {
  data: unknown;
  error: PortalError | null;
}

const known = new Map<string, Store<Known>>();

function storeOf(path: string): Store<Known> {
  const found = known.get(path) ?? store<Known>({ data: undefined, error: null });
  known.set(path, found);
  return found;
}

/** The paths of the page whose data could not be read again, so that it shows what was there before. */
const old = store<ReadonlySet<string>>(new Set());

/** Returns whether the page shows data that could not be read again. */
export function useShowsOldData(): boolean {
  return old.use().size > 0;
}

function noteOld(path: string, isOld: boolean): void {
  const paths = new Set(old.get());
  if (isOld) paths.add(path);
  else paths.delete(path);
  if (paths.size !== old.get().size) old.set(paths);
}

/** The reads on their way, so that two parts of a page share one. */
const inFlight = new Map<string, Promise<void>>();

function load(path: string): Promise<void> {
  const running = inFlight.get(path);
  if (running) return running;
  const target = storeOf(path);
  const loading = read(path)
    .then((data) => target.set({ data, error: null }))
    .catch((thrown: unknown) => {
      const error = asError(thrown);
      target.set({ data: isPassing(error) ? target.get().data : undefined, error });
    })
    .then(() => noteOld(path, target.isUsed() && target.get().data !== undefined && target.get().error !== null))
    .finally(() => inFlight.delete(path));
  inFlight.set(path, loading);
  return loading;
}

/** Returns whether a read can soon succeed again. The status 0 says that there was no response. */
function isPassing({ status }: PortalError): boolean {
  return status === 0 || status >= 500 || [408, 409, 429].includes(status);
}

/**
 * Reads a path of the portal, such as `tenancies`.
 *
 * @param path null reads nothing.
 */
export function useRead<T>(path: string | null): Read<T> {
  const { data, error } = storeOf(path ?? '').use();
  const retry = useCallback(() => void (path !== null && load(path)), [path]);
  useEffect(() => {
    if (path === null) return undefined;
    void load(path);
    // Back online, the page shows what is new.
    addEventListener('online', retry);
    return () => {
      removeEventListener('online', retry);
      if (!storeOf(path).isUsed()) noteOld(path, false);
    };
  }, [path, retry]);
  return { data: data as T | undefined, error: data === undefined ? error : null, retry };
}

/** Returns whether reads have their data, or have failed. Parts of a page that appear together move nothing. */
export function areSettled(...reads: readonly Read<unknown>[]): boolean {
  return reads.every(({ data, error }) => data !== undefined || error !== null);
}

/** Forgets everything, because another person may come next. */
export function forgetReads(): void {
  known.clear();
  old.set(new Set());
}

/** Reads again what the page shows, after a change. Other pages read what they show when they open. */
export async function refresh(): Promise<void> {
  const paths = [...known].flatMap(([path, target]) => (path !== '' && target.isUsed() ? [path] : []));
  await Promise.all(paths.map(load));
}

/** The state of a write. */
export interface Write<Input> {
  send: (input: Input) => void;
  isBusy: boolean;
  error: PortalError | null;
  /** Returns what is wrong with a member of the body, or null. */
  faultOf: (param: string) => string | null;
}

/**
 * Sends a change, and then reads the page again. That is so after a failure, too: a change can be made although its response was lost.
 *
 * @param onDone is called with the response.
 */
export function useWrite<Input, Result>(
  request: (input: Input) => Promise<Result>,
  onDone: (result: Result) => void,
): Write<Input> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<PortalError | null>(null);
  const send = async (input: Input): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      onDone(await request(input));
    } catch (thrown) {
      setError(asError(thrown));
    }
    await refresh();
    setBusy(false);
  };
  return {
    send: (input) => void send(input),
    isBusy,
    error,
    faultOf: (param) => error?.faults.find((fault) => fault.param === param)?.message ?? null,
  };
}

/** Sends a body to a path, as `useWrite` needs it. */
export function postTo<Result>(path: string): (body: object) => Promise<Result> {
  return (body) => post<Result>(path, body);
}

function asError(thrown: unknown): PortalError {
  return thrown instanceof PortalError
    ? thrown
    : new PortalError('Something went wrong on this page. Please try again.', { status: 0, code: 'unknown' });
}
