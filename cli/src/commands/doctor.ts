import { maskKey } from 'tenure';
import { exitCodes } from '../errors.ts';
import { showJson } from '../output/show.ts';
import { safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { Session } from '../session.ts';
import { localUrl, type GlobalFlags } from '../settings/settings.ts';
import { version } from '../version.ts';

/** The result of a check, with what to do if it is not good. */
interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  text: string;
}

/** Checks the server, the key and the endpoints, and sets the exit code. */
export async function runDoctor(flags: GlobalFlags): Promise<void> {
  const terminal = new Terminal();
  const session = await Session.open(flags, terminal);
  const checks: Check[] = [];
  const worst = await examine(session, (check) => {
    checks.push(check);
    if (!flags.json) show(check, terminal);
  });
  if (flags.json) terminal.out(showJson(checks, terminal));
  process.exitCode = worst;
}

function show({ status, check, text }: Check, terminal: Terminal): void {
  const [mark, colour] = (
    { ok: ['ok     ', 'green'], warning: ['warning', 'yellow'], failed: ['failed ', 'red'] } as const
  )[status];
  terminal.out(`${terminal.paint(colour, mark)}  ${check.padEnd(11)} ${safeText(text)}`);
}

/** A clock that is further off makes signatures of webhooks invalid in the end. */
const clockMaxSeconds = 60;

/** Seconds of a day. */
const day = 86_400;

/** Carries out the checks in turn. Returns the exit code. */
async function examine({ client, options, settings, sdk }: Session, add: (check: Check) => void): Promise<number> {
  const baseUrl = settings.baseUrl ?? localUrl;
  const ok = (check: string, text: string): void => add({ check, status: 'ok', text });
  const warn = (check: string, text: string): void => add({ check, status: 'warning', text });
  const fail = (check: string, text: string): void => add({ check, status: 'failed', text });
  let response: Response;
  try {
    response = await fetch(`${baseUrl.replace(/\/+$/, '')}/readyz`, {
      signal: AbortSignal.timeout(10_000),
      redirect: 'manual',
    });
  } catch {
    fail('server', `${baseUrl} cannot be reached. Start the server, or set TENURE_BASE_URL to its address.`);
    return exitCodes.unreachable;
  }
  if (response.ok) ok('server', `${baseUrl} is ready.`);
  else fail('server', `${baseUrl} answers, but is not ready (status ${response.status}). Look into its log.`);
  const offSeconds = Math.round((Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000);
  if (Math.abs(offSeconds) > clockMaxSeconds) {
    warn(
      'clock',
      `This machine and the server differ by ${Math.abs(offSeconds)} s. Webhooks more than 300 s apart are refused. Set the clock.`,
    );
  } else ok('clock', 'This machine and the server have the same time.');
  try {
    const account = await client.account.retrieve({}, options);
    ok(
      'key',
      `${maskKey(settings.apiKey)} of ${account.name ?? account.id} (${account.id}), ${settings.isLive ? 'live' : 'sandbox'}.`,
    );
    const pinned = account.api_version;
    if (pinned === sdk.newestVersion) ok('version', `The account has the newest version, ${pinned}.`);
    else
      warn(
        'version',
        `The account has ${String(pinned)}, and the newest is ${sdk.newestVersion}. See: tenure account api_version_preview --to ${sdk.newestVersion}`,
      );
  } catch (error) {
    const { status, message } = error as { status?: number; message: string };
    if (status === 403) warn('key', `The key may not read its account: ${message}`);
    else {
      fail('key', message);
      return status === 401 ? exitCodes.noAccess : exitCodes.refused;
    }
  }
  await checkPermissions(client, options, add);
  await checkEndpoints(client, options, add);
  ok('command', `tenure ${version}, Node ${process.versions.node}.`);
  return response.ok ? exitCodes.done : exitCodes.refused;
}

/** Tells what the key may read of what other commands need. */
async function checkPermissions(
  client: Session['client'],
  options: Session['options'],
  add: (check: Check) => void,
): Promise<void> {
  const needed: [permission: string, commands: string, ask: () => PromiseLike<unknown>][] = [
    ['events.read', 'listen and events tail', () => client.events.list({ limit: 1 }, options)],
    ['logs.read', 'logs tail', () => client.logs.list({ limit: 1 }, options)],
  ];
  for (const [permission, commands, ask] of needed) {
    try {
      await ask();
      add({ check: 'permission', status: 'ok', text: `${permission}, for ${commands}.` });
    } catch (error) {
      add({
        check: 'permission',
        status: 'warning',
        text: `${permission} is missing, for ${commands}: ${(error as Error).message}`,
      });
    }
  }
}

/** Finds endpoints that are disabled, or whose deliveries of the last day failed. */
async function checkEndpoints(
  client: Session['client'],
  options: Session['options'],
  add: (check: Check) => void,
): Promise<void> {
  let good = 0;
  try {
    for await (const endpoint of client.webhookEndpoints.list({ limit: 50 }, options)) {
      if (endpoint.status === 'disabled') {
        const why = endpoint.disabled_reason ?? 'you disabled it.';
        add({ check: 'endpoint', status: 'warning', text: `${endpoint.id} is disabled: ${why}` });
        continue;
      }
      const page = await client.webhookEndpoints.listDeliveries(
        endpoint.id,
        { limit: 10, created: { gte: Math.floor(Date.now() / 1000) - day } },
        options,
      );
      const bad = page.data.filter(
        ({ status, attempt_count: attempts }) => status === 'failed' || (status === 'pending' && attempts > 0),
      );
      if (bad.length === 0) good++;
      else
        add({
          check: 'endpoint',
          status: 'warning',
          text: `${bad.length} of the last ${page.data.length} deliveries to ${endpoint.id} have failed attempts. See: tenure webhook_endpoints list_deliveries ${endpoint.id}`,
        });
    }
    add({ check: 'endpoints', status: 'ok', text: `${good} without a failure in the last day.` });
  } catch (error) {
    add({ check: 'endpoints', status: 'warning', text: `They could not be checked: ${(error as Error).message}` });
  }
}
