import { errorMessage } from '../core/errors.ts';
import { formats } from '../core/formats.ts';
import { operatorCommand } from '../core/installation.ts';
import { readOptions } from './arguments.ts';

const help = `${operatorCommand('new-account', '--name <name> [--owner <e-mail>]')}

Makes a root account: a tree of accounts of its own beside the others. Prints its id, its first secret key, and a link to the dashboard
for its owner. The link works once, for an hour. With --owner, the owner has this e-mail address. The server may run meanwhile.
`;

/** As the API has it for `name`. */
const nameLengthMax = 500;

/** Makes a root account and prints how to use it, for `npm run new-account`. The server may run or not. */
async function main(): Promise<void> {
  const { name, owner = null } = readOptions(
    help,
    { name: { type: 'string' }, owner: { type: 'string' } },
    (given) => given.name !== undefined,
  );
  const fault = faultOf(name!, owner);
  if (fault !== null) throw new Error(fault);
  // Loaded only now, because a wrong argument does not need it.
  const [{ withContext }, { makeRootAccount }] = await Promise.all([
    import('./with-context.ts'),
    import('../server/first-account.ts'),
  ]);
  const { made, hasDashboard } = await withContext(async (context) => ({
    made: await makeRootAccount(context, { name: name!, owner }),
    hasDashboard: context.config.hasDashboard,
  }));
  process.stdout.write(`Account       ${made.accountId}\nSecret key    ${made.key}   (shown only now)\n`);
  const link = hasDashboard
    ? `${made.ownerUrl}   (works once, for an hour)`
    : 'none, because the dashboard is off (TENURE_DASHBOARD)';
  process.stdout.write(`Owner's link  ${link}\n`);
}

function faultOf(name: string, owner: string | null): string | null {
  const nameFault =
    name.length > nameLengthMax ? `has more than ${nameLengthMax} characters` : formats['single-line'](name, true);
  if (nameFault !== null) return `--name ${nameFault}.`;
  const ownerFault = owner === null ? null : formats.email(owner);
  return ownerFault === null ? null : `--owner ${ownerFault}.`;
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
