import type { Operation, OperationTable, RequestOptions, ResponseInfo, Tenure } from 'tenure';
import type * as sdkModule from 'tenure';
import { CliError, exitCodes } from './errors.ts';
import { readSettings, type GlobalFlags, type Settings } from './settings/settings.ts';
import { curlOf } from './output/curl.ts';
import { Terminal } from './output/terminal.ts';
import { version } from './version.ts';

/** Ends a command after `--curl` has printed its request. */
export class PrintedCurl extends Error {
  override readonly name = 'PrintedCurl';
}

function endAfterCurl(): never {
  throw new PrintedCurl();
}

type Sdk = typeof sdkModule;
type Method = (...given: unknown[]) => unknown;

/** A command's way to the API: its settings, the client, and the questions before it changes something. */
export class Session {
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly sdk: Sdk;
  readonly client: Tenure;

  constructor(
    sdk: Sdk,
    flags: GlobalFlags,
    terminal: Terminal,
    settings = readSettings(flags, terminal.env),
    onResponse?: (info: ResponseInfo) => void,
  ) {
    this.sdk = sdk;
    this.flags = flags;
    this.terminal = terminal;
    this.settings = settings;
    const { apiKey, baseUrl, account, apiVersion } = this.settings;
    this.client = new sdk.Tenure({
      apiKey,
      baseUrl,
      account,
      // A stream takes a failed `fetch` for a broken connection, and tries again. An error of this hook ends it.
      onResponse: flags.curl ? endAfterCurl : onResponse,
      // The types are those of the newest version. What is shown passes through as it comes.
      apiVersion: apiVersion as typeof sdk.newestVersion | undefined,
      fetch: flags.curl
        ? (url, init) => {
            terminal.out(curlOf(url, init));
            throw new PrintedCurl();
          }
        : undefined,
    });
  }

  /** Loads the SDK, and finds the key. */
  static async open(
    flags: GlobalFlags,
    terminal = new Terminal(),
    onResponse?: (info: ResponseInfo) => void,
  ): Promise<Session> {
    return new Session(await import('tenure'), flags, terminal, undefined, onResponse);
  }

  /** The options of every call. */
  get options(): RequestOptions {
    return { headers: { 'user-agent': `tenure-cli/${version}` }, ...(this.flags.curl && { maxRetries: 0 }) };
  }

  /** Returns the operation and the method of the SDK for names such as `['references', 'create']`. */
  operation(names: readonly string[]): { operation: Operation; method: Method } {
    let table: Operation | OperationTable = this.sdk.operations;
    let methods: unknown = this.client;
    for (const name of names) {
      table = (table as OperationTable)[name]!;
      methods = (methods as Record<string, unknown>)[name];
    }
    return { operation: table as Operation, method: methods as Method };
  }

  /**
   * Asks before a request that cannot be taken back, and before each write in live mode.
   *
   * @throws {CliError} if the answer is no, or if no person can be asked.
   */
  async confirm(question: string | null): Promise<void> {
    const asked = question ?? (this.settings.isLive ? 'This changes live data.' : null);
    if (asked === null || this.flags.yes || this.flags.curl) return;
    if (this.flags.input === false || !this.terminal.canAsk) {
      throw new CliError(`${asked} Nothing was sent. Pass --yes to confirm.`);
    }
    const { createInterface } = await import('node:readline/promises');
    const reading = createInterface({ input: process.stdin, output: process.stderr });
    const interrupted = new Promise<string>((resolve) => reading.once('SIGINT', () => resolve('\u0003')));
    const answer = await Promise.race([reading.question(`${asked} Continue? [y/N] `), interrupted]);
    reading.close();
    if (answer === '\u0003') {
      this.terminal.say('');
      throw new CliError('Interrupted. Nothing was sent.', exitCodes.interrupted);
    }
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was sent.', exitCodes.refused);
  }
}
