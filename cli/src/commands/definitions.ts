import { Argument, Option, type Command } from 'commander';
import type { GlobalFlags } from '../settings/settings.ts';
import { shells } from './shells.ts';

/*
 * The commands that are no operations of the API: their flags and texts. Each loads its code when it runs, so that help and completion are
 * quick.
 */

/** Collects the texts of a flag that can be repeated. */
export function collectText(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** Makes the flag of fields, which several commands have. */
export function dataOption(): Option {
  const help = 'a field, such as a.b=c, or name:=<JSON>, @file.json, - for standard input';
  return new Option('-d, --data <field=value>', help).argParser(collectText);
}

export const idempotencyKeyFlag = [
  '--idempotency-key <key>',
  'repeat the request safely: the same key gives the same response',
] as const;

export interface ListenFlags extends GlobalFlags {
  forwardTo?: string;
  events?: string;
  printSecret?: boolean;
  secret?: string;
  useEndpoint?: string;
  resume?: boolean;
  since?: string;
  asEndpoint?: boolean;
}

/** Adds `listen`. */
export function addListen(program: Command): void {
  const listen = program
    .command('listen')
    .summary('Forward events to your machine, as webhooks')
    .description(
      `Follows the events of the account, and posts each to a URL as a webhook: the same body,
headers and signature. Your machine needs no public address. Events that come while it
sleeps, or while the server is away, come afterwards.

A failed attempt is repeated after 1, 5 and 30 seconds. Up to 8 events are sent at once,
and those of one record in order. Only a status of 2xx within 30 seconds is a success.`,
    )
    .option('--forward-to <url>', 'where to post the events, such as http://localhost:3000/webhooks')
    .option('--events <types>', 'only these events, such as reference.*,customer.created')
    .option('--resume', 'first forward the events since the last run')
    .option('--since <event or time>', 'first forward the events after evt_…, or since 15m ago')
    .option('--use-endpoint <id>', 'use the signing secret, events and version of this endpoint, we_…')
    .option('--secret <->', 'read the signing secret from standard input')
    .option('--print-secret', 'print the signing secret, and end')
    .option('--as-endpoint', 'let the server post to the URL itself, which it must be able to reach')
    .addHelpText(
      'after',
      '\nExample:\n  $ tenure listen --forward-to http://localhost:3000/webhooks --events reference.*',
    )
    .action(async () => {
      const { runListen } = await import('./listen.ts');
      await runListen(listen.optsWithGlobals<ListenFlags>());
    });
}

export interface TriggerFlags extends GlobalFlags {
  override?: string[];
  count?: string;
}

/** Adds `trigger`. */
export function addTrigger(program: Command): void {
  const trigger = program
    .command('trigger')
    .summary('Cause an event by real requests, in a sandbox')
    .description('Sends the requests that cause an event of this type. The records stay, except endpoints and keys.')
    .argument('[event]', 'the type of the event, such as reference.completed')
    .option('--override <field=value>', 'a field of the first record, such as metadata.branch=york', collectText)
    .option('--count <number>', 'how many events to cause', '1')
    .addHelpText('after', '\nExample:\n  $ tenure trigger reference.completed --override application=app_1')
    .action(async (type: string | undefined) => {
      const { runTrigger } = await import('./trigger.ts');
      await runTrigger(type, trigger.optsWithGlobals<TriggerFlags>());
    });
}

export interface EventFlags extends GlobalFlags {
  events?: string;
  objectId?: string;
  since?: string;
}

/** Adds `events tail`. */
export function addEventsTail(events: Command): void {
  const tail = events
    .command('tail')
    .alias('stream')
    .summary('Show events as they happen')
    .description('Shows each event when it is committed, until you press Ctrl-C. With --json, each is one line.')
    .option('--events <types>', 'only these events, such as reference.*,customer.created')
    .option('--object-id <id>', 'only events about this record')
    .option('--since <event or time>', 'first show the events after evt_…, or since 15m ago')
    .addHelpText('after', '\nExample:\n  $ tenure events tail --events reference.*')
    .action(async () => {
      const { tailEvents } = await import('./tail.ts');
      await tailEvents(tail.optsWithGlobals<EventFlags>());
    });
}

export interface LogFlags extends GlobalFlags {
  status?: string;
  method?: string;
  path?: string;
}

/** Adds `logs tail`. */
export function addLogsTail(logs: Command): void {
  const tail = logs
    .command('tail')
    .summary('Show requests as they happen')
    .description(
      'Shows each POST and DELETE shortly after its response, until you press Ctrl-C. With --json, each is one line.',
    )
    .option('--status <status>', 'only requests with this status, such as 404 or 4xx')
    .option('--method <method>', 'only POST or DELETE')
    .option('--path <path>', 'only requests to this path')
    .addHelpText('after', '\nExample:\n  $ tenure logs tail --status 4xx')
    .action(async () => {
      const { tailLogs } = await import('./tail.ts');
      await tailLogs(tail.optsWithGlobals<LogFlags>());
    });
}

interface LoginFlags extends GlobalFlags {
  apiKey?: string;
}

/** Adds `login`, `logout`, `whoami` and `profiles`. */
export function addSignIn(program: Command): void {
  const login = program
    .command('login')
    .summary('Sign in by a code, or by an API key')
    .description(
      `Shows a code, and opens the dashboard, where you approve it. That makes an API key of 90 days,
and stores it in a profile that only you can read. Later commands use it. With --no-input, no
browser is opened.`,
    )
    .option('--api-key <->', 'store this key instead, from standard input: others can see the words of a command')
    .addHelpText('after', '\nExamples:\n  $ tenure login\n  $ tenure login --api-key - < key.txt')
    .action(async () => {
      const flags = login.optsWithGlobals<LoginFlags>();
      if (flags.apiKey === undefined) {
        const { runDeviceLogin } = await import('./device-login.ts');
        return runDeviceLogin(flags);
      }
      const { runKeyLogin } = await import('./sign-in.ts');
      await runKeyLogin({ ...flags, apiKey: flags.apiKey });
    });
  const logout = program
    .command('logout')
    .summary('Forget the API key of a profile')
    .description(
      `Removes a profile with its API key from this machine. A key of a sign-in by code is revoked.
Any other key stays valid: revoke it with \`tenure api_keys delete\`.`,
    )
    .action(async () => {
      const { runLogout } = await import('./sign-in.ts');
      await runLogout(logout.optsWithGlobals());
    });
  const whoami = program
    .command('whoami')
    .summary('Show the account and the key in use')
    .description('Shows the account, the server and the key that commands use.')
    .action(async () => {
      const { runWhoami } = await import('./sign-in.ts');
      await runWhoami(whoami.optsWithGlobals());
    });
  const profiles = program
    .command('profiles')
    .summary('List the stored profiles')
    .description('Lists the profiles of this user. With --use, another profile becomes the default.')
    .option('--use <profile>', 'use this profile when a command names none')
    .action(async () => {
      const { runProfiles } = await import('./sign-in.ts');
      runProfiles(profiles.optsWithGlobals());
    });
}

/** Adds `doctor`. */
export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('Check the connection, the key and the endpoints')
    .description('Checks everything that commands need, and says what to do about what is wrong.')
    .action(async () => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(doctor.optsWithGlobals<GlobalFlags>());
    });
}

export interface McpFlags extends GlobalFlags {
  readOnly?: boolean;
  tools?: string;
}

/** Adds `mcp`. */
export function addMcp(program: Command): void {
  const mcp = program
    .command('mcp')
    .summary('Serve tools to an agent on this machine')
    .description(
      `Serves the Model Context Protocol on standard input and output. An agent starts it as its
server, and gets the tools that the key may use. It needs an agent key or a restricted key.`,
    )
    .option('--read-only', 'leave out all tools that change something')
    .option('--tools <names>', 'only tools about these, such as references,events')
    .addHelpText('after', '\nExample:\n  $ tenure mcp --read-only --tools references,events')
    .action(async () => {
      const { runMcp } = await import('./mcp.ts');
      await runMcp(mcp.optsWithGlobals<McpFlags>());
    });
}

export interface OpenFlags extends GlobalFlags {
  print?: boolean;
}

/** Adds `open`. */
export function addOpen(program: Command): void {
  const open = program
    .command('open')
    .summary('Open the dashboard in your browser')
    .description('Opens a page of the dashboard, or the page of a record by its id. It needs no API key.')
    .argument('[page or id]', 'a page such as events, or an id such as evt_…', 'home')
    .option('--print', 'print the URL instead of opening it')
    .addHelpText('after', '\nExamples:\n  $ tenure open logs\n  $ tenure open ref_… --print')
    .action(async (target: string) => {
      const { runOpen } = await import('./open.ts');
      await runOpen(target, open.optsWithGlobals<OpenFlags>());
    });
}

/** Adds `completion`, and the hidden command that its scripts call. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('Print the completion script of a shell')
    .description(
      `Prints a script that completes commands and flags:\n\n${Object.values(shells)
        .map((place) => `  $ ${place}`)
        .join('\n')}`,
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action(async (shell: string) => {
      const { printScript } = await import('./completion.ts');
      printScript(shell);
    });
  program
    .command('complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { printWords } = await import('./completion.ts');
      printWords(program, words);
    });
}

export interface RequestFlags extends GlobalFlags {
  data?: string[];
  idempotencyKey?: string;
}

const requestTexts = {
  get: 'Send a GET to any path of the API',
  post: 'Send a POST to any path of the API',
  delete: 'Send a DELETE to any path of the API',
};

/** Adds `get`, `post` and `delete`, for paths without a command of their own. */
export function addRequests(program: Command): void {
  for (const [method, text] of Object.entries(requestTexts)) {
    const command = program
      .command(`${method} <path>`)
      .summary(text)
      .description(`${text}, such as /v1/references. The response is printed as JSON.`)
      .addOption(dataOption());
    if (method === 'post') command.option(...idempotencyKeyFlag);
    command.action(async (path: string) => {
      const { runRequest } = await import('./requests.ts');
      await runRequest(method.toUpperCase(), path, command.optsWithGlobals<RequestFlags>());
    });
  }
}
