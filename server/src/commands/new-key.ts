import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { makeAnotherKey } from '../server/first-account.ts';
import { withContext } from './with-context.ts';
import { readArguments } from './arguments.ts';

const help = `${operatorCommand('new-key')}

Makes another secret key for the first account, and prints it. The server may run meanwhile.
`;

/** Makes and prints another secret key, for `npm run new-key`. The server may run or not. */
async function main(): Promise<void> {
  readArguments(help);
  process.stdout.write(`${await withContext(makeAnotherKey)}\n`);
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
