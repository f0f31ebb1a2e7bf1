import type { HttpContext } from '../../src/http/context.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { formOf } from './files.ts';
import { latestVersion } from './versions.ts';

/** A valid body for each route that refuses an empty one. The keys come from `nameOf`. */
export const bodies: Record<string, object> = {
  'POST /v1/references': { application: 'app_1' },
  'POST /v1/applications': { customers: ['cus_1'] },
  'POST /v1/customers': { name: 'Ada' },
  'POST /v1/files': formOf(),
  'POST /v1/webhook_endpoints': { url: 'https://hooks.example.com/' },
  'POST /v1/accounts': { name: 'Agency' },
  'POST /v1/api_keys': { type: 'restricted', permissions: ['api_keys.read'] },
  'POST /v1/webhook_endpoints/:id/recover': { since: Math.floor(Date.now() / 1000) - 60 },
  'POST /v1/events/:id/resend': { webhook_endpoint: 'we_1' },
  'POST /v1/test_helpers/clock/advance': { seconds: 1 },
  'POST /v1/test_helpers/references/:id/note': { message: 'Ask again on Monday.' },
  'POST /v1/account/api_version': { api_version: latestVersion },
};

/** The error codes of valid requests that find nothing to do. Their status is 400. The keys come from `nameOf`. */
export const toldNo: Readonly<Record<string, string>> = {
  'POST /v1/events/:id/resend': 'resource_missing',
  'POST /v1/account/api_version': 'parameter_invalid',
  'POST /v1/account/api_version/rollback': 'status_transition_invalid',
  // No service runs a check for these references.
  'POST /v1/test_helpers/references/:id/advance': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/complete': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/fail': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/note': 'status_transition_invalid',
};

/** Returns the operations that an API key can use: all but those of persons. */
export function routesOfKeys(context: HttpContext): Route[] {
  return routesOf(context).filter(({ isForPersons }) => !isForPersons);
}

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

export function hasId({ path }: Pick<Route, 'path'>): boolean {
  return path.includes(':id');
}

/** Whether its body is a form with a file. */
export function takesForm(route: Route): boolean {
  return 'upload' in route && route.upload !== null;
}

/** Returns the path of the kind of record that a route is for. */
export function kindOf({ path }: Pick<Route, 'path'>): string {
  const segments = path.split('/');
  return segments[hasId({ path }) ? segments.indexOf(':id') - 1 : 2]!;
}

/** Works on this many at once. Throws the first failure. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < items.length) await work(items[next++]!);
  });
  await Promise.all(workers);
}
