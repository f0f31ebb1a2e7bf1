import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CliError, exitCodes } from '../errors.ts';
import { adviceOn } from '../nearest.ts';
import { Terminal } from '../output/terminal.ts';
import { localUrl, readKeylessSettings } from '../settings/settings.ts';
import type { OpenFlags } from './definitions.ts';

/** The pages by their names, with their paths below `/dashboard`. A test compares them with the dashboard's navigation. */
export const pages: Record<string, string> = {
  home: '',
  approvals: 'approvals',
  applications: 'applications',
  references: 'references',
  customers: 'customers',
  units: 'units',
  tenancies: 'tenancies',
  arrears: 'arrears',
  invoices: 'invoices',
  payments: 'payments',
  subscriptions: 'subscriptions',
  deposits: 'deposits',
  files: 'files',
  events: 'events',
  logs: 'logs',
  webhooks: 'webhooks',
  workflows: 'workflows',
  'api-keys': 'api-keys',
  emails: 'emails',
  accounts: 'accounts',
  team: 'team',
  settings: 'settings',
  profile: 'settings/me',
};

/** Opens a page of the dashboard, or prints its URL. */
export async function runOpen(target: string, flags: OpenFlags): Promise<void> {
  const terminal = new Terminal();
  const { baseUrl = localUrl, account } = readKeylessSettings(flags, terminal.env);
  const url = `${baseUrl.replace(/\/+$/, '')}/dashboard/${pathOf(target)}${account === undefined ? '' : `?account=${account}`}`;
  if (flags.print) return terminal.out(url);
  if (await openInBrowser(url)) terminal.say(`Opened ${url}`);
  else {
    terminal.say('No browser could be opened. Open this page yourself:');
    terminal.out(url);
  }
}

/**
 * Returns the path of a page, or of the record of an id. The dashboard finds the page of a record by the prefix of its id.
 *
 * @throws {CliError} if it is neither.
 */
function pathOf(target: string): string {
  const page = target.replaceAll('_', '-');
  if (Object.hasOwn(pages, page)) return pages[page]!;
  if (/^[a-z]+_[0-9A-Za-z]+$/.test(target)) return `go/${target}`;
  throw new CliError(
    `The dashboard has no page "${target}".${adviceOn(target, Object.keys(pages))} An id such as evt_… works, too.`,
    exitCodes.usage,
  );
}

/** Returns whether the browser of the system has taken the URL. */
export async function openInBrowser(url: string): Promise<boolean> {
  const [command, ...args] = {
    darwin: ['open'],
    // `start` would need a shell, which would read the `&` of a URL.
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform as string] ?? ['xdg-open'];
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true });
  child.unref();
  return once(child, 'spawn').then(
    () => true,
    () => false,
  );
}
