import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { DatabaseClock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import type { Target } from '../referencing/provider-check/index.ts';

const help = `${operatorCommand('provider-check', '<url> [--token <token>] [--secret <secret>] [--callback-url <url>] [--listen <host:port>] [--wait <seconds>] [--timeout <seconds>]')}

Checks a referencing service by the protocol in docs/providers/protocol.md. It needs the test environment of the service, plays some
thirty orders there, and prints a line for each rule. The exit code is 1 if a rule is broken.

  --token         the token that the service accepts. Default: check_token
  --secret        the signing secret that the orders name. Default: a random one
  --callback-url  the address under which the service reaches this command. Default: that of --listen
  --listen        where this command receives callbacks. Default: 127.0.0.1 and a free port
  --wait          how long a check of the test environment and a callback may take. Default: 60
  --timeout       how long an answer may take. Default: 15
`;

/** Checks a referencing service, for `npm run provider-check`. */
async function main(): Promise<void> {
  const target = readTarget();
  // Loaded only now, because a wrong argument does not need it.
  const { checkProvider, linesOf } = await import('../referencing/provider-check/index.ts');
  const judgements = await checkProvider(target, new DatabaseClock());
  const count = (wanted: string): number => judgements.filter(({ result }) => result === wanted).length;
  // If only the first rule was judged, the others need it, and have nothing to say.
  const isOnlyFirst = judgements[0]?.result !== 'skip' && count('skip') === judgements.length - 1;
  const shown = isOnlyFirst ? judgements.slice(0, 1) : judgements;
  for (const judgement of shown) process.stdout.write(`${linesOf(judgement).join('\n')}\n`);
  process.stdout.write(`\n${count('pass')} rules kept, ${count('fail')} broken, ${count('skip')} not judged.\n`);
  // Answers that never come must not hold the process.
  process.exit(count('pass') === judgements.length ? 0 : 1);
}

function readTarget(): Target {
  try {
    const text = { type: 'string' } as const;
    const { values, positionals } = parseArgs({
      options: {
        help: { type: 'boolean' },
        token: text,
        secret: text,
        'callback-url': text,
        listen: text,
        wait: text,
        timeout: text,
      },
      allowPositionals: true,
    });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const [url, ...others] = positionals;
    if (url === undefined || others.length > 0) throw new Error('The command takes one address.');
    return {
      url: httpUrl(url),
      token: values.token ?? 'check_token',
      signingSecret: values.secret ?? randomBytes(24).toString('base64url'),
      answerMs: milliseconds(values.timeout ?? '15'),
      waitMs: milliseconds(values.wait ?? '60'),
      listen: hostAndPort(values.listen ?? '127.0.0.1:0'),
      callbackUrl: values['callback-url'] === undefined ? null : httpUrl(values['callback-url']),
    };
  } catch {
    process.stderr.write(help);
    process.exit(2);
  }
}

function httpUrl(text: string): string {
  const { protocol } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('The address is not of HTTP.');
  return text;
}

function milliseconds(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) === 0) throw new Error('The number of seconds is not whole.');
  return Number(text) * 1000;
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw new Error('--listen is no host and port.');
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
