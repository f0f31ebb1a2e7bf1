import {
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError, ConnectionError, TimeoutError, type RequestOptions, type Tenure } from 'tenure';
import type { ShownError } from '@tenure/ui';
import { ask } from './ask.ts';
import { useAccountId, useTenure } from './client.ts';

/** A kind of reading. See `defineRead`. */
export interface Read<Input extends object, T> {
  id: number;
  load(tenure: Tenure, input: Input, options: RequestOptions): PromiseLike<T>;
}

let readCount = 0;

/**
 * Defines what a component can read from the API, once for all components. Each definition has a cache of its own. So two pages never share
 * data in two shapes, and those that want the same data share the definition.
 *
 * @param load uses only its input, which names the data in the cache. Texts name a record, such as its id. An object has other parameters.
 */
export function defineRead<T, Input extends object = object>(load: Read<Input, T>['load']): Read<Input, T> {
  return { id: readCount++, load };
}

/**
 * Reads from the API for a component. Equal inputs share one request. While parameters change, such as a filter, the former data stay. Those
 * of another record or another account do not.
 */
export function useRead<T, Input extends object>(
  read: Read<Input, T>,
  input: Input,
  {
    isOn = true,
    refreshMs,
  }: {
    isOn?: boolean;
    /** Returns after how many milliseconds the data are read again while the tab is visible. */
    refreshMs?: (data: T) => number | false;
  } = {},
): UseQueryResult<T> {
  const tenure = useTenure();
  const account = useAccountId();
  const queryKey = ['api', account, read.id, input] as const satisfies ReadKey;
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(() => read.load(tenure, input, { signal })),
    placeholderData: (former, formerQuery) => (isSameSubject(formerQuery?.queryKey, queryKey) ? former : undefined),
    enabled: isOn,
    refetchInterval: ({ state }) => (state.data === undefined ? false : (refreshMs?.(state.data) ?? false)),
  });
}

/** Returns whether two keys differ in nothing but parameters, which are objects. */
export function isSameSubject(former: QueryKey | undefined, key: QueryKey): boolean {
  if (former?.length !== key.length) return false;
  const [kind, account, id, input] = former as ReadKey;
  return kind === key[0] && account === key[1] && id === key[2] && subjectOf(input) === subjectOf(key[3] as object);
}

type ReadKey = readonly [kind: 'api', account: string | undefined, readId: number, input: object];

function subjectOf(input: object | undefined): string {
  return JSON.stringify(Object.entries(input ?? {}).filter(([, value]) => typeof value !== 'object'));
}

/**
 * Reads everything on the page again when a part of it shows a change. The other parts may not know it yet.
 *
 * @param shown names what the part shows, such as the statuses of its records. Undefined while it loads.
 */
export function useReadAgain(shown: string | undefined): void {
  const queries = useQueryClient();
  const former = useRef<string>(undefined);
  useEffect(() => {
    const isChanged = former.current !== undefined && shown !== undefined && former.current !== shown;
    former.current = shown;
    if (isChanged) void queries.invalidateQueries({ queryKey: ['api'] });
  }, [queries, shown]);
}

/** A colleague has changed the record since the person read it, so that nothing was sent. The page is then read again. */
export class ChangedMeanwhile extends Error {}

/**
 * Changes something by the API, for a form or a button. Each input gets one `Idempotency-Key`, so that a repeated attempt changes nothing
 * twice. The second click of a double click joins the first request. Afterwards, everything on the page is read again.
 */
export function useWrite<Input, T>(
  send: (tenure: Tenure, input: Input, options: RequestOptions) => PromiseLike<T>,
  { onDone }: { onDone?: (result: T, input: Input) => void } = {},
): UseMutationResult<T, Error, Input> {
  const tenure = useTenure();
  const queries = useQueryClient();
  const last = useRef<{ input: string; key: string; sending: Promise<T> | null } | null>(null);
  return useMutation<T, Error, Input, { isRepeated: boolean }>({
    onMutate: (input) => {
      const text = JSON.stringify(input) ?? '';
      const isSame = last.current?.input === text;
      if (!isSame) last.current = { input: text, key: crypto.randomUUID(), sending: null };
      return { isRepeated: isSame && last.current!.sending !== null };
    },
    mutationFn: (input) => {
      const write = last.current!;
      write.sending ??= ask(() => send(tenure, input, { idempotencyKey: write.key }))
        .catch(explainUnanswered)
        .finally(() => {
          write.sending = null;
        });
      return write.sending;
    },
    // A response may have a secret. It goes with the component that shows it.
    gcTime: 0,
    onError: async (error) => {
      if (error instanceof ChangedMeanwhile) await queries.invalidateQueries({ queryKey: ['api'] });
    },
    onSuccess: async (result, input, { isRepeated }) => {
      if (isRepeated) return;
      last.current = null;
      onDone?.(result, input);
      await queries.invalidateQueries({ queryKey: ['api'] });
    },
  });
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

/**
 * Returns whether a read can soon succeed again, such as after a new sign-in (401). Other errors say that the record is gone, or that the
 * person may not see it.
 */
export function isPassing(error: unknown): boolean {
  if (isUnanswered(error)) return true;
  return error instanceof ApiError && (error.status >= 500 || [401, 408, 409, 429].includes(error.status));
}

/** @throws what a person must know about a change without a response. */
function explainUnanswered(error: Error): never {
  if (!isUnanswered(error)) throw error;
  throw new Error(
    'The server did not answer, so it is unknown whether the change was made. Try again with the same input: the change is made only once.',
    { cause: error },
  );
}

/** Returns an error as the kit shows it. */
export function shownError(error: Error): ShownError {
  // The message of the SDK is for programmers.
  if (isUnanswered(error)) return { message: 'The server did not answer. Check your connection, and try again.' };
  if (!(error instanceof ApiError)) return { message: error.message };
  const { message, code, requestId, docUrl } = error;
  return { message, code, requestId, docUrl };
}

/** Returns the fault of a parameter in an error of the API, for the field of this parameter. */
export function faultOf(error: Error | null, param: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const fault = error.errors.find((each) => each.param === param);
  return fault?.message ?? (error.param === param ? error.message : null);
}

/** Returns the fault of an uploaded file. The API calls the file by the name of its parameter, which an office does not know. */
export function faultOfFile(error: Error | null): string | null {
  return faultOf(error, 'file')?.replace(/^`file` /, 'The file ') ?? null;
}
