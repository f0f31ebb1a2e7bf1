import { parseArgs } from 'node:util';
import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { makeLoginLink } from '../server/first-account.ts';
import { withContext } from './with-context.ts';

const help = `${operatorCommand('login-link', '[--email <address>] [--reset-second-factor]')}

Prints a link to the dashboard. It works once, for an hour. As long as there is no user, it makes the first owner. Later it signs in
the first owner, or the user of --email. With --reset-second-factor, it also removes the app and the passkeys of that user.
`;

/** Makes and prints a link to the dashboard, for `npm run login-link`. The server may run or not. */
async function main(): Promise<void> {
  const { email, resetsSecondFactor } = readOptions();
  const url = await withContext((context) => makeLoginLink(context, { email, resetsSecondFactor }));
  process.stdout.write(`${url}\n`);
}

function readOptions(): { email: string | null; resetsSecondFactor: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean' },
        email: { type: 'string' },
        'reset-second-factor': { type: 'boolean' },
      },
    });
    if (!values.help)
      return { email: values.email ?? null, resetsSecondFactor: values['reset-second-factor'] ?? false };
    process.stdout.write(help);
    process.exit(0);
  } catch {
    process.stderr.write(help);
    process.exit(2);
  }
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
