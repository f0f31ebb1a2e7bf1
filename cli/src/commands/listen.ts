import { readFileSync } from 'node:fs';
import type { EventStream } from 'tenure';
import { ConnectionNews } from '../connection-news.ts';
import { CliError, exitCodes } from '../errors.ts';
import { EventPatterns } from '../event-patterns.ts';
import { Engine, type AttemptResult } from '../listen/engine.ts';
import { Forwarder } from '../listen/forwarder.ts';
import { bodyOf, headersOf, localDeliveryId, type StreamedEvent } from '../listen/payload.ts';
import { SavedListening } from '../listen/saved.ts';
import { beginning, countAfter, countMax, startSince } from '../listen/start-position.ts';
import { safeJson, safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { Session } from '../session.ts';
import { parseTime } from '../times.ts';
import { version } from '../version.ts';
import type { ListenFlags } from './definitions.ts';

/** The signature, filter and version of what is forwarded. */
interface Shape {
  secret: string;
  patterns: EventPatterns;
  version: string;
}

/** Forwards events to a receiver until the command is interrupted. */
export async function runListen(flags: ListenFlags): Promise<void> {
  const terminal = new Terminal();
  const patterns = EventPatterns.parse(flags.events);
  if (flags.resume && flags.since !== undefined)
    throw new CliError('--resume and --since exclude each other. Pass one of them.');
  const receiver = flags.printSecret ? null : receiverOf(flags.forwardTo);
  const connection = new ConnectionNews(terminal);
  const session = await Session.open(flags, terminal, (info) => connection.tell(info));
  const { client, options, settings } = session;
  const account = await client.account.retrieve({}, options);
  const saved = new SavedListening(terminal.env, settings.profile, account.id, receiver?.href ?? '');
  if (flags.asEndpoint) {
    const { runAsEndpoint } = await import('./listen-as-endpoint.ts');
    return runAsEndpoint({ session, saved, url: receiver!.href, patterns });
  }
  const shape = await shapeOf(flags, session, saved, patterns, account.api_version);
  if (flags.printSecret) return terminal.out(shape.secret);
  const start = await startOf(flags, session, saved, shape.patterns);
  terminal.say(
    `Forwarding events of ${safeText(account.name ?? account.id)} (${safeText(account.id)}) to ${receiver!.href}, as webhooks of version ${safeText(shape.version)}.`,
  );
  if (flags.json)
    terminal.out(
      safeJson({
        object: 'listen',
        account: account.id,
        api_version: shape.version,
        forward_to: receiver!.href,
        signing_secret: shape.secret,
      }),
    );
  else if (flags.secret === undefined && flags.useEndpoint === undefined)
    terminal.out(`Signing secret: ${terminal.paint('bold', shape.secret)}`);
  const forwarding = new Forwarding({ session, saved, shape, receiver: receiver!, connection });
  process.exitCode = await forwarding.run(start);
}

/** @throws {CliError} unless the URL is http or https. */
function receiverOf(text: string | undefined): URL {
  if (text === undefined) {
    throw new CliError(
      'Where should events go? Pass --forward-to http://localhost:3000/webhooks. To only look at them, run: tenure events tail',
    );
  }
  const url = /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `http://${text}` : text;
  if (URL.canParse(url)) {
    const parsed = new URL(url);
    if (/^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password) return parsed;
  }
  throw new CliError(`"${text}" is no address to forward to. Write one such as http://localhost:3000/webhooks.`);
}

async function shapeOf(
  flags: ListenFlags,
  { client, options, settings, sdk }: Session,
  saved: SavedListening,
  patterns: EventPatterns,
  accountVersion: string | null,
): Promise<Shape> {
  const given = flags.secret === undefined ? null : givenSecret(flags.secret);
  if (flags.useEndpoint === undefined) {
    const secret = given ?? saved.signingSecret();
    return { secret, patterns, version: settings.apiVersion ?? accountVersion ?? sdk.newestVersion };
  }
  const endpoint = await client.webhookEndpoints.retrieve(flags.useEndpoint, {}, options);
  if (endpoint.connected) {
    throw new CliError(
      `${endpoint.id} receives the events of connected accounts, and a stream has those of one account. Use another endpoint, or --account.`,
    );
  }
  const secret = given ?? ('signing_secret' in endpoint ? endpoint.signing_secret : null);
  if (!secret)
    throw new CliError(
      `This key may not see the secret of ${endpoint.id}. Use a key with webhook_endpoints.write, or pass --secret -.`,
      exitCodes.noAccess,
    );
  return {
    secret,
    patterns: new EventPatterns(flags.events === undefined ? endpoint.enabled_events : patterns.patterns, endpoint.id),
    version: settings.apiVersion ?? endpoint.api_version,
  };
}

function givenSecret(flag: string): string {
  if (flag !== '-')
    throw new CliError(
      'A secret in a command shows in `ps` and in the history, so it was not used. Pass it on standard input: --secret -',
    );
  const secret = readFileSync(0, 'utf8').trim();
  if (secret === '') throw new CliError('Standard input has no signing secret.');
  return secret;
}

/** Returns the position where the stream begins, or null for now. Says how many events came since the last run. */
async function startOf(
  flags: ListenFlags,
  { client, options, terminal }: Session,
  saved: SavedListening,
  patterns: EventPatterns,
): Promise<string | null> {
  if (flags.since?.startsWith('evt_') || flags.since === beginning) return flags.since;
  if (flags.since !== undefined) return startSince(client, parseTime('--since', flags.since), options);
  const after = saved.place()?.after;
  if (after === undefined) {
    if (flags.resume) terminal.say('There is no earlier run for this address, so forwarding begins now.');
    return null;
  }
  const count = await countAfter(client, after, patterns, options);
  if (count === null) {
    terminal.say('The events since the last run are no longer all stored, so forwarding begins now.');
    return null;
  }
  const told = `${count >= countMax ? `More than ${countMax}` : count} ${count === 1 ? 'event has' : 'events have'} come since the last run`;
  if (flags.resume) {
    terminal.say(`${told}.`);
    return after;
  }
  // From now on, `--resume` continues after this run.
  if (count > 0)
    terminal.say(`${told}. To forward ${count === 1 ? 'it' : 'them'} too, stop, and pass --since ${after}.`);
  return null;
}

/** Milliseconds between two saves of the position. A busy stream must not write a file for each event. */
const saveEveryMs = 100;

/** Milliseconds that attempts under way get when the command is stopped. */
const stopWaitMs = 3_000;

class Forwarding {
  readonly #session: Session;
  readonly #saved: SavedListening;
  readonly #shape: Shape;
  readonly #forwarder: Forwarder;
  readonly #connection: ConnectionNews;
  readonly #engine: Engine<StreamedEvent>;
  readonly #deliveryIds = new Map<string, string>();
  #stream: EventStream<unknown> | null = null;
  /** The last position that came on the stream. */
  #reached: string | null = null;
  /** The position before the last event. */
  #behind: string | null = null;

  constructor(parts: {
    session: Session;
    saved: SavedListening;
    shape: Shape;
    receiver: URL;
    connection: ConnectionNews;
  }) {
    this.#session = parts.session;
    this.#saved = parts.saved;
    this.#shape = parts.shape;
    this.#connection = parts.connection;
    this.#forwarder = new Forwarder(parts.receiver);
    this.#engine = new Engine({
      attempt: (event, number) => this.#post(event, number),
      onResult: (event, result) => this.#show(event, result),
    });
  }

  /** Forwards until the command is interrupted, and returns the exit code. */
  async run(after: string | null): Promise<number> {
    const { terminal, client, options } = this.#session;
    const stopping = new AbortController();
    let signals = 0;
    const stop = (): void => {
      if (++signals > 1) process.exit(exitCodes.interrupted);
      stopping.abort();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    this.#connection.onReady = () =>
      terminal.say(`Ready. ${terminal.isErrTerminal ? 'Press Ctrl-C to stop.' : ''}`.trimEnd());
    this.#reached = after;
    const saving = setInterval(() => this.#save(), saveEveryMs);
    try {
      const { streamFilter: type } = this.#shape.patterns;
      this.#stream = client.events.stream(
        { ...(after !== null && { after }), ...(type !== undefined && { type }) },
        { ...options, apiVersion: this.#shape.version, signal: stopping.signal },
      );
      for await (const event of this.#stream) await this.#take(event as StreamedEvent);
    } catch (error) {
      if (!stopping.signal.aborted) {
        await this.#end();
        throw error;
      }
    } finally {
      clearInterval(saving);
    }
    await this.#end();
    const { forwarded, failed } = this.#engine.counts;
    terminal.say(`\nForwarded ${forwarded}, failed ${failed}. Continue later with --resume.`);
    return exitCodes.interrupted;
  }

  async #take(event: StreamedEvent): Promise<void> {
    // The stream counts the event as finished when the loop asks for the next one.
    const before = this.#stream!.lastEventId;
    this.#behind = before;
    this.#reached = event.id;
    if (!this.#shape.patterns.has(event)) return;
    const { id } = event.data.object;
    await this.#engine.add(event, typeof id === 'string' ? id : event.id, before);
  }

  async #post(event: StreamedEvent, number: number): ReturnType<Forwarder['post']> {
    const deliveryId = this.#deliveryIds.get(event.id) ?? localDeliveryId();
    this.#deliveryIds.set(event.id, deliveryId);
    const body = bodyOf(event);
    const signature = await this.#session.client.webhooks.signTestHeader(body, this.#shape.secret);
    const shape = { version: this.#shape.version, userAgent: `Tenure/${version}` };
    return this.#forwarder.post(headersOf(event, { deliveryId, number, signature }, shape), body);
  }

  #show(event: StreamedEvent, { reply, number, durationMs, retryInMs }: AttemptResult): void {
    const { terminal, flags } = this.#session;
    const delivery = this.#deliveryIds.get(event.id)!;
    if (retryInMs === null) this.#deliveryIds.delete(event.id);
    if (flags.json) {
      return terminal.out(
        safeJson({
          object: 'attempt',
          event: event.id,
          type: event.type,
          delivery,
          attempt: number,
          ...reply,
          duration_ms: Math.round(durationMs),
          next_attempt_in_ms: retryInMs,
        }),
      );
    }
    const isGood = reply.error === null && reply.status !== null && reply.status >= 200 && reply.status < 300;
    const what = `${reply.status ?? ''} ${reply.error ?? ''}`.trim();
    const next = isGood
      ? ''
      : retryInMs === null
        ? `, given up after ${number} attempts`
        : `, next attempt in ${retryInMs / 1000} s`;
    const time = new Date().toLocaleTimeString('en-GB');
    const line = `${safeText(event.type).padEnd(28)} ${safeText(event.id)}  ${terminal.paint(isGood ? 'green' : 'red', what)} in ${Math.round(durationMs)} ms${next}`;
    terminal.out(`${terminal.paint('dim', time)}  ${line}`);
  }

  /** Saves the position before the earliest event that is not done with. There is none before the first connection. */
  #save(): void {
    // With nothing under way, comments of the stream may have moved the position.
    const streamed = this.#stream?.lastEventId ?? null;
    if (this.#engine.isIdle && streamed !== null && streamed !== this.#behind) this.#reached = streamed;
    const after = this.#engine.position === undefined ? this.#reached : this.#engine.position;
    if (after !== null) this.#saved.save({ after });
  }

  async #end(): Promise<void> {
    await this.#engine.stop(stopWaitMs);
    this.#save();
    this.#forwarder.close();
  }
}
