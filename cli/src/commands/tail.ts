import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionNews } from '../connection-news.ts';
import { CliError, exitCodes } from '../errors.ts';
import { EventPatterns } from '../event-patterns.ts';
import { startSince } from '../listen/start-position.ts';
import { picked, viewOf, type View } from '../output/show.ts';
import { timeOf } from '../output/table.ts';
import { safeJson, safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { Session } from '../session.ts';
import { parseTime } from '../times.ts';
import type { EventFlags, LogFlags } from './definitions.ts';

/** Returns a signal that Ctrl-C aborts. */
function untilInterrupted(): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    process.exitCode = exitCodes.interrupted;
    stopping.abort();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return stopping.signal;
}

/** Shows events until the command is interrupted. */
export async function tailEvents(flags: EventFlags): Promise<void> {
  const terminal = new Terminal();
  const patterns = EventPatterns.parse(flags.events);
  const connection = new ConnectionNews(terminal);
  connection.onReady = () => terminal.say('Ready.');
  const { client, options } = await Session.open(flags, terminal, (info) => connection.tell(info));
  const view = viewOf(flags, terminal, null);
  const { streamFilter: type } = patterns;
  const signal = untilInterrupted();
  const start = await eventStart(flags.since, client, options);
  const filter = {
    ...(type !== undefined && { type }),
    ...(flags.objectId !== undefined && { object_id: flags.objectId }),
    ...(start !== null && { after: start }),
  };
  try {
    for await (const event of client.events.stream(filter, { ...options, signal })) {
      const isWanted = patterns.has(event) || flags.events === undefined;
      if (isWanted) showEvent(event as unknown as Shown, view, terminal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function eventStart(
  since: string | undefined,
  client: Session['client'],
  options: Session['options'],
): Promise<string | null> {
  if (since === undefined || since.startsWith('evt_')) return since ?? null;
  return startSince(client, parseTime('--since', since), options);
}

type Shown = Record<string, unknown> & { id: string; created: number };

function showEvent(event: Shown, view: View, terminal: Terminal): void {
  if (view.isJson || view.fields) return terminal.out(safeJson(picked(event, view.fields)));
  const { object } = event.data as { object: { id?: unknown } };
  terminal.out(
    `${terminal.paint('dim', timeOf(event.created))}  ${safeText(String(event.type)).padEnd(28)} ${safeText(event.id)}  ${typeof object.id === 'string' ? safeText(object.id) : ''}`,
  );
}

/** Milliseconds between two requests for new logs. */
const logsEveryMs = 1_000;

/** Seconds that each request looks back. A long request appears when it ends, with the time of its begin. */
const lookBackSeconds = 90;

/** Shows requests until the command is interrupted. */
export async function tailLogs(flags: LogFlags): Promise<void> {
  const terminal = new Terminal();
  if (flags.status !== undefined && !/^[1-5](xx|\d\d)$/.test(flags.status))
    throw new CliError('--status must be a status such as 404, or a class such as 4xx.');
  const { client, options } = await Session.open(flags, terminal);
  const view = viewOf(flags, terminal, null);
  const signal = untilInterrupted();
  const filter = {
    ...(flags.status !== undefined && { status: flags.status }),
    ...(flags.path !== undefined && { path: flags.path }),
    ...(flags.method !== undefined && { method: flags.method.toUpperCase() as 'POST' }),
  };
  const seen = new Map<string, number>();
  // The clock of a sandbox can be ahead, so the newest log tells the time.
  const newest = await client.logs.list({ limit: 1 }, options);
  let from = newest.data[0]?.created ?? 0;
  let isFirst = true;
  while (!signal.aborted) {
    const since = Math.max(0, from - lookBackSeconds);
    const fresh: Shown[] = [];
    for await (const log of client.logs.list(
      { ...filter, limit: 50, created: { gte: since } },
      { ...options, maxRetries: 10 },
    )) {
      if (!seen.has(log.id)) fresh.push(log as unknown as Shown);
      seen.set(log.id, log.created);
      from = Math.max(from, log.created);
    }
    // What is there at the start happened before.
    if (isFirst) terminal.say('Ready.');
    else for (const log of fresh.toReversed()) showLog(log, view, terminal);
    isFirst = false;
    for (const [id, created] of seen) if (created < from - 2 * lookBackSeconds) seen.delete(id);
    await delay(logsEveryMs, undefined, { signal }).catch(() => {});
  }
}

function showLog(log: Shown, view: View, terminal: Terminal): void {
  if (view.isJson || view.fields) return terminal.out(safeJson(picked(log, view.fields)));
  const status = Number(log.status);
  const { code } = (log.error ?? {}) as { code?: string };
  const shown = terminal.paint(status < 400 ? 'green' : 'red', String(status));
  terminal.out(
    `${terminal.paint('dim', timeOf(log.created))}  ${shown}  ${safeText(String(log.method)).padEnd(6)} ${safeText(String(log.path))}  ${log.id}${code ? `  ${safeText(code)}` : ''}`,
  );
}
