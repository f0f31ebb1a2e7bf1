import type { Page } from 'playwright-core';
import { Browser } from '../../../server/test/support/browser.ts';
import { good, type TestServer } from '../../../server/test/support/server.ts';
import { openPage, type OpenPage, type WindowOptions } from '../../../ui/test/support/browser.ts';
import type { Feature } from '../../src/api/shapes.ts';

export interface PortalOptions extends Omit<WindowOptions, 'cookies'> {
  /** The person that the page is for. */
  customer: string;
  /** The parts that the session opens. By default, all. */
  features?: readonly Feature[];
  /** Is called before the page loads, such as to cut its connection. */
  prepare?: (page: Page) => Promise<void>;
}

/** Opens a path of the portal with a session of its own. Close it by `await using`. */
export async function openPortal(server: TestServer, path: string, options: PortalOptions): Promise<OpenPage> {
  const { customer, features, prepare, ...window } = options;
  const { token } = await makeLink(server, customer, features);
  const browser = new Browser(server);
  browser.headers = { 'service-client': 'portal' };
  await good(browser.post('/v1/portal/open', { token }));
  return openPage(server.url, `/portal${path}`, { ...window, cookies: browser.cookies }, prepare);
}

/** Opens a path of the portal in a browser without a session. */
export async function openWithoutSession(
  server: TestServer,
  path: string,
  options: Omit<WindowOptions, 'cookies'> = {},
): Promise<OpenPage> {
  return openPage(server.url, `/portal${path}`, options);
}

/** Makes a link for a person, as an agent does. */
export async function makeLink(
  { api }: TestServer,
  customer: string,
  features?: readonly Feature[],
): Promise<{ id: string; token: string }> {
  const { body } = await good(api.post('/v1/portal_sessions', { customer, ...(features && { features }) }));
  return { id: body.id, token: new URL(body.url).hash.slice(1) };
}

/** Returns the problems of a page besides the errors that Chromium itself writes for each refused or lost request. */
export function ownProblems({ problems }: OpenPage): string[] {
  return problems.filter((problem) => !problem.startsWith('Failed to load resource'));
}
