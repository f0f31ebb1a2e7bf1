import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError, exitCodes } from '../errors.ts';
import { safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { configPath, readConfigFile, writeConfigFile, type Profile } from '../settings/config-file.ts';
import { localUrl, type GlobalFlags } from '../settings/settings.ts';
import { version } from '../version.ts';
import { openInBrowser } from './open.ts';

/** The limit of a request, in milliseconds. */
const timeoutMs = 30_000;

/** The server decides when a code expires. This long after that time, the command gives up by itself. In seconds. */
const patienceSeconds = 90;

/** The longest name of a machine that the server takes. */
const machineLengthMax = 100;

interface Begun {
  device_code: string;
  user_code: string;
  verification_url: string;
  expires_in: number;
  interval: number;
  /** The address of this machine, as the server sees it. */
  ip_address: string | null;
}

type State =
  | { status: 'pending' | 'denied' }
  | {
      status: 'approved';
      api_key: string;
      key: { id: string; permissions: string[]; expires_at: number };
      account: { id: string; name: string | null };
    };

/** Signs in by a code that a person approves in the dashboard, and stores the key in a profile. */
export async function runDeviceLogin(flags: GlobalFlags): Promise<void> {
  const terminal = new Terminal();
  const { env } = terminal;
  const name = flags.profile ?? (env.TENURE_PROFILE || 'default');
  const before = readConfigFile(env).profiles[name];
  const baseUrl = flags.baseUrl ?? (env.TENURE_BASE_URL || undefined) ?? before?.base_url;
  const server = baseUrl ?? localUrl;
  const signal = untilInterrupted();
  try {
    const begun = await send<Begun>(server, 'begin', { machine: machineName() }, { signal });
    await showCode(begun, flags, terminal);
    const { api_key: apiKey, key, account } = await untilApproved(server, begun, signal);
    const config = readConfigFile(env);
    config.profiles[name] = {
      api_key: apiKey,
      ...(baseUrl && { base_url: baseUrl }),
      ...(flags.account && { account: flags.account }),
      device_key: { id: key.id, expires_at: key.expires_at },
    };
    // The first profile is the default one.
    if (!config.profiles[config.profile]) config.profile = name;
    writeConfigFile(env, config);
    const rights = key.permissions.some((one) => one.endsWith('.write')) ? 'read and change' : 'only read';
    terminal.say(
      `Signed in to ${safeText(account.name ?? account.id)} (${safeText(account.id)}). The key may ${rights} its records, until ${dateOf(key.expires_at)}. Stored in ${configPath(env)}, profile "${name}".`,
    );
  } catch (error) {
    if (signal.aborted) throw new CliError('Interrupted. No key was stored.', exitCodes.interrupted);
    throw error;
  }
  // The profile has no use for its earlier key any more.
  if (before?.device_key) await endDeviceKey(before).catch(() => {});
}

/**
 * Revokes the key of a profile, which a sign-in by code has made. Does nothing if the key has ended already.
 *
 * @throws {CliError} if the server cannot be reached, or refuses it.
 */
export async function endDeviceKey({ api_key: apiKey, base_url: server = localUrl }: Profile): Promise<void> {
  try {
    await send(server, 'end', {}, { apiKey });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error;
  }
}

/** Returns a signal that Ctrl-C aborts. */
function untilInterrupted(): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return stopping.signal;
}

async function showCode(begun: Begun, flags: GlobalFlags, terminal: Terminal): Promise<void> {
  const { verification_url: page, user_code: code } = begun;
  // A program of the system opens the URL, so that it must be that of a page.
  if (!/^https?:\/\//.test(page) || !/^[A-Z]{4}-[A-Z]{4}$/.test(code)) {
    throw new CliError('The server answered with no page or no code. Check its address.', exitCodes.refused);
  }
  const url = `${page}#${code}`;
  const address = begun.ip_address === null ? '' : `, at the address ${safeText(begun.ip_address)}`;
  terminal.say(`Your code: ${terminal.paintMessage('bold', code)}`);
  terminal.say(`Machine:   ${machineName()}${address}`);
  terminal.say(`Open this page, compare all of this, and approve:\n  ${safeText(url)}`);
  if (flags.input !== false && (await openInBrowser(url))) terminal.say('Your browser should show the page now.');
  terminal.say(`Waiting for up to ${Math.ceil(begun.expires_in / 60)} minutes. Press Ctrl-C to stop.`);
}

/** Polls until a person has approved. A server that is away for a moment does not end the sign-in. */
async function untilApproved(
  server: string,
  begun: Begun,
  signal: AbortSignal,
): Promise<Extract<State, { status: 'approved' }>> {
  const endMs = performance.now() + (begun.expires_in + patienceSeconds) * 1000;
  while (performance.now() < endMs) {
    await delay(Math.max(1, begun.interval) * 1000, undefined, { signal });
    const state = await send<State>(server, 'token', { device_code: begun.device_code }, { signal }).catch(
      (error: unknown) => pendingIfBrief(error, signal),
    );
    if (state.status === 'approved') return state;
    if (state.status === 'denied') {
      throw new CliError('The sign-in was denied in the dashboard. No key was made.', exitCodes.noAccess);
    }
  }
  throw expired();
}

/** @throws the error, unless it can pass by itself. */
function pendingIfBrief(error: unknown, signal: AbortSignal): State {
  if (signal.aborted || !(error instanceof Refused)) throw error;
  if (error.param === 'device_code') throw expired();
  if (error.status === null || error.status === 429 || error.status >= 500) return { status: 'pending' };
  throw error;
}

function expired(): CliError {
  return new CliError('The code has expired. Run `tenure login` again.', exitCodes.noAccess);
}

/** A request was refused, or got no answer: then the status is null. */
class Refused extends CliError {
  readonly status: number | null;
  readonly param: string | null;

  constructor(message: string, status: number | null, param: string | null = null) {
    const refused = status === 401 || status === 403 ? exitCodes.noAccess : exitCodes.refused;
    super(message, status === null ? exitCodes.unreachable : refused);
    this.status = status;
    this.param = param;
  }
}

/** Sends a request about a sign-in. The SDK has none of these, because they need no key. */
async function send<Answer>(
  server: string,
  step: 'begin' | 'token' | 'end',
  body: object,
  { signal, apiKey }: { signal?: AbortSignal; apiKey?: string },
): Promise<Answer> {
  const url = `${server.replace(/\/+$/, '')}/auth/device/${step}`;
  if (!URL.canParse(url)) throw new CliError(`"${server}" is no address of a server, such as ${localUrl}.`);
  const limit = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      // A redirect could lead the device code or the key to another server.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: {
        'content-type': 'application/json',
        'user-agent': `tenure-cli/${version}`,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    throw new Refused(`${server} cannot be reached. Check the address, and that the server runs.`, null);
  }
  const answer = parsed(text) as { error?: { message?: string; param?: string } } | null;
  if (response.ok && answer) return answer as Answer;
  const { message = `${server} answered with status ${response.status}, and is no server of Tenure.`, param = null } =
    answer?.error ?? {};
  throw new Refused(message, response.status, param);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the name of this machine, in characters that any server takes. */
function machineName(): string {
  const name = hostname()
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim();
  return name.slice(0, machineLengthMax) || 'a machine without a name';
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
