import { useSearch } from '@tanstack/react-router';
import { Tenure } from 'tenure';
import { apiUrl } from '../base-url.ts';
import { noteConnection } from './connection.ts';

const clients = new Map<string | undefined, Tenure>();

/**
 * Returns the SDK's client for an account, or for the person's own account. The session's cookie signs the requests. A foreign page cannot
 * send `Service-Client`, so that the header proves their origin.
 */
export function clientFor(account?: string): Tenure {
  const known = clients.get(account);
  if (known) return known;
  const client = new Tenure({
    apiKey: null,
    baseUrl: apiUrl,
    account,
    fetch: (url, init) => {
      const headers = new Headers(init.headers);
      headers.set('service-client', 'dashboard');
      return fetch(url, { ...init, headers, credentials: 'same-origin' });
    },
    onResponse: ({ status }) => noteConnection(status !== null),
  });
  clients.set(account, client);
  return client;
}

/** Returns the account that the person acts as, from `?account=acct_…`. Undefined is their own. */
export function useAccountId(): string | undefined {
  const search: { account?: string } = useSearch({ strict: false });
  return search.account;
}

/** Returns the client for the account of the page. */
export function useTenure(): Tenure {
  return clientFor(useAccountId());
}
