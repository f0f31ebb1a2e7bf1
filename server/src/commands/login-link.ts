import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { readOptions } from './arguments.ts';

const help = `${operatorCommand('login-link', '[--account <id>] [--email <address>] [--reset-second-factor]')}

Prints a link to the dashboard. It works once, for an hour. As long as the account has no user, it makes the first owner. Later it
signs in the first owner, or the user of --email. In live mode, a user without a password and without an identity of the provider
chooses a password with it. Without --account, the account is the deployment's first. With --reset-second-factor, it also removes the
app and the passkeys of that user, and a password of fewer than 15 characters.
`;

/** Makes and prints a link to the dashboard, for `npm run login-link`. The server may run or not. */
async function main(): Promise<void> {
  const {
    account: accountId = null,
    email = null,
    'reset-second-factor': resetsSecondFactor = false,
  } = readOptions(help, {
    account: { type: 'string' },
    email: { type: 'string' },
    'reset-second-factor': { type: 'boolean' },
  });
  // Loaded only now, because a wrong argument does not need it.
  const [{ withContext }, { makeLoginLink }] = await Promise.all([
    import('./with-context.ts'),
    import('../server/first-account.ts'),
  ]);
  const url = await withContext((context) => {
    if (!context.config.hasDashboard)
      throw new Error(
        'The dashboard is off (TENURE_DASHBOARD), so no link signs in a person. Switch it on, and run this command again.',
      );
    return makeLoginLink(context, { accountId, email, resetsSecondFactor });
  });
  process.stdout.write(`${url}\n`);
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
