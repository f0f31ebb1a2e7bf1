import { CommanderError } from 'commander';
import { CliError, exitCodes } from './errors.ts';
import { safeText } from './output/text.ts';
import { Terminal } from './output/terminal.ts';

/** Lets names be written in either form: `webhook-endpoints` or `webhook_endpoints`, `--api_version` or `--api-version`, `created[gt]` or `created.gt`. */
export function plainArguments(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  return args.map((arg, index) => {
    if (end !== -1 && index >= end) return arg;
    if (arg.startsWith('--')) {
      const [, name = '', rest = ''] = /^--([^=]*)(.*)$/s.exec(arg)!;
      return `--${name.replaceAll('_', '-').replaceAll(/\[([\w-]+)\]/g, '.$1')}${rest}`;
    }
    const isCommand = index < 3 && (firstFlag === -1 || index < firstFlag) && /^[a-z]+(-[a-z]+)+$/.test(arg);
    return isCommand ? arg.replaceAll('-', '_') : arg;
  });
}

/** Tells a person why a command failed, and returns the exit code. */
export function exitCodeOf(error: unknown): number {
  const terminal = new Terminal();
  terminal.endProgress();
  // commander has printed its own messages, and help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const { name, message } = error as Error;
  if (name === 'PrintedCurl' || causeNamed(error, 'PrintedCurl')) return exitCodes.done;
  const head = terminal.paintMessage('red', 'Error:');
  if (error instanceof CliError) {
    terminal.say(`${head} ${safeText(message)}`);
    return error.exitCode;
  }
  // Wrong arguments, found by the SDK before anything was sent.
  if (error instanceof TypeError) {
    terminal.say(`${head} ${safeText(message)}`);
    return exitCodes.usage;
  }
  if (name === 'ConnectionError' || name === 'TimeoutError') {
    terminal.say(`${head} ${safeText(message)}`);
    return exitCodes.unreachable;
  }
  if ('status' in (error as object)) return refusal(error as RefusedRequest, terminal);
  terminal.say(`${head} ${safeText(message)}`);
  return exitCodes.refused;
}

interface RefusedRequest {
  message: string;
  status: number;
  code: string | null;
  param: string | null;
  requestId: string | null;
  requestLogUrl: string | null;
}

function refusal(
  { message, status, code, param, requestId, requestLogUrl }: RefusedRequest,
  terminal: Terminal,
): number {
  terminal.say(`${terminal.paintMessage('red', 'Error:')} ${safeText(message)}`);
  const facts = [`status ${status}`, code, param && `field ${param}`, requestLogUrl ?? requestId];
  terminal.say(terminal.paintMessage('dim', `  ${safeText(facts.filter(Boolean).join(' · '))}`));
  return status === 401 || status === 403 ? exitCodes.noAccess : exitCodes.refused;
}

function causeNamed(error: unknown, wanted: string): boolean {
  const { cause } = error as { cause?: { name?: string; constructor?: { name?: string } } };
  return cause?.constructor?.name === wanted;
}
