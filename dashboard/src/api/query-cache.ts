import { QueryCache } from '@tanstack/react-query';
import { isPassing, isSameSubject } from './requests.ts';

/**
 * Makes the cache of what the pages read. A read that fails keeps its former data only if the failure passes. After an erasure, or without
 * a permission, no page may show them any more.
 */
export function newQueryCache(): QueryCache {
  const cache = new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== 'api' || isPassing(error)) return;
      const nothing = { data: undefined, dataUpdatedAt: 0 };
      cache.find({ queryKey })?.setState(nothing);
      // The data of other filters would stand in while the next ones load.
      const others = cache.findAll({ type: 'inactive', predicate: (other) => isSameSubject(other.queryKey, queryKey) });
      for (const other of others) other.setState({ ...nothing, error: null, status: 'pending' });
    },
  });
  return cache;
}
