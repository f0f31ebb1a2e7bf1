import type { Browser } from '../../../server/test/support/browser.ts';
import type { TestServer } from '../../../server/test/support/server.ts';
import { latestVersion, versions } from '../../../server/test/support/versions.ts';
import { openPage, respond, type OpenPage, type WindowOptions } from '../../../ui/test/support/browser.ts';
import type { Session } from '../../src/api/session.ts';

export interface OpenOptions extends Omit<WindowOptions, 'cookies'> {
  /** Changes the session that the page gets. A null `user` is a visitor. */
  session?: Partial<Session>;
  /** The person whose real session the page has. A browser without cookies is a visitor. */
  person?: Browser;
}

/**
 * Opens a path of the dashboard in a window without cookies and stored data. Without `person`, the session is a stand-in, and the server's
 * secret key signs the requests of the API. Close it by `await using`.
 */
export async function openDashboard(
  server: TestServer,
  path: string,
  { session = {}, person, ...options }: OpenOptions = {},
): Promise<OpenPage> {
  if (person) return openPage(server.url, `/dashboard${path}`, { ...options, cookies: person.cookies });
  return openPage(server.url, `/dashboard${path}`, {
    ...options,
    interceptions: [
      {
        urls: ['/v1/'],
        stage: 'Request',
        handle: ({ session: browser, requestId, request }) => {
          const headers = { ...request.headers, authorization: `Bearer ${server.secretKey}` };
          return browser.send('Fetch.continueRequest', {
            requestId,
            headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
          });
        },
      },
      {
        urls: ['/auth/session'],
        stage: 'Request',
        handle: (paused) => respond(paused, { ...signedIn, ...session }),
      },
    ],
  });
}

/** Returns a person with these permissions alone. */
export function viewer(...permissions: string[]): NonNullable<Session['user']> {
  return { ...signedIn.user!, id: 'usr_2', email: 'grace@example.com', role: 'viewer', permissions };
}

/** The session of an owner. */
const signedIn: Session = {
  mode: 'sandbox',
  product: { name: 'Tenure', version: '0.1.0' },
  clock: { now: 0, ahead_seconds: 0 },
  versions: { newest: latestVersion, all: [...versions] },
  retention_days: 30,
  has_users: true,
  identity_provider: null,
  user: {
    id: 'usr_1',
    email: 'ada@example.com',
    name: null,
    role: 'owner',
    second_factor: 'none',
    recovery_codes_left: 0,
    passkeys: 0,
    identity: null,
    permissions: [
      'accounts.read',
      'accounts.write',
      'api_keys.read',
      'api_keys.write',
      'applications.read',
      'applications.write',
      'customers.read',
      'customers.write',
      'events.read',
      'file_contents.read',
      'files.read',
      'files.write',
      'guarantors.read',
      'guarantors.write',
      'logs.read',
      'references.read',
      'references.write',
      'users.read',
      'users.write',
      'webhook_endpoints.read',
      'webhook_endpoints.write',
    ],
    account: { id: 'acct_1', name: 'My account' },
  },
};
