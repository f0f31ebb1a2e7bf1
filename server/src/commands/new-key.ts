import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { readOptions } from './arguments.ts';

const help = `${operatorCommand('new-key', '[--account <id>]')}

Makes another secret key for the first account, or for the account of --account, and prints it. The server may run meanwhile.
`;

/** Makes and prints another secret key, for `npm run new-key`. The server may run or not. */
async function main(): Promise<void> {
  const { account: accountId = null } = readOptions(help, { account: { type: 'string' } });
  // Loaded only now, because a wrong argument does not need it.
  const [{ withContext }, { makeAnotherKey }] = await Promise.all([
    import('./with-context.ts'),
    import('../server/first-account.ts'),
  ]);
  process.stdout.write(`${await withContext((context) => makeAnotherKey(context, { accountId }))}\n`);
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
