import {
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, type RequestOptions, type Tenure } from 'tenure';
import type { ShownError } from '@tenure/ui';
import { ask } from './ask.ts';
import { useAccountId, useTenure } from './client.ts';

/**
 * Reads from the API for a component. Equal keys share one request. While parameters change, such as a filter, the former data stay. Those
 * of another record or another account do not.
 *
 * @param key names the data by texts, such as a kind and an id. An object has the other parameters of the request. The account is added.
 */
export function useRead<T>(
  key: readonly unknown[],
  load: (tenure: Tenure, options: RequestOptions) => PromiseLike<T>,
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
  const queryKey = ['api', account, ...key];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(() => load(tenure, { signal })),
    placeholderData: (former, formerQuery) => (isSameSubject(formerQuery?.queryKey, queryKey) ? former : undefined),
    enabled: isOn,
    refetchInterval: ({ state }) => (state.data === undefined ? false : (refreshMs?.(state.data) ?? false)),
  });
}

function isSameSubject(former: QueryKey | undefined, key: QueryKey): boolean {
  return (
    former?.length === key.length &&
    key.every((part, index) => (typeof part === 'object' && part !== null) || part === former[index])
  );
}

/**
 * Changes something by the API, for a form or a button. Each input gets one `Idempotency-Key`, so that a repeated attempt changes nothing
 * twice. Afterwards, everything on the page is read again.
 */
export function useWrite<Input, T>(
  send: (tenure: Tenure, input: Input, options: RequestOptions) => PromiseLike<T>,
  { onDone }: { onDone?: (result: T, input: Input) => void } = {},
): UseMutationResult<T, Error, Input> {
  const tenure = useTenure();
  const queries = useQueryClient();
  const last = useRef<{ input: string; key: string } | null>(null);
  return useMutation({
    mutationFn: (input: Input) => {
      const text = JSON.stringify(input) ?? '';
      if (last.current?.input !== text) last.current = { input: text, key: crypto.randomUUID() };
      const { key } = last.current;
      return ask(() => send(tenure, input, { idempotencyKey: key }));
    },
    // A response may have a secret. It goes with the component that shows it.
    gcTime: 0,
    onSuccess: async (result, input) => {
      last.current = null;
      onDone?.(result, input);
      await queries.invalidateQueries({ queryKey: ['api'] });
    },
  });
}

/** Returns an error as the kit shows it. */
export function shownError(error: Error): ShownError {
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
