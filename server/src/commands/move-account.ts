import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Encryption } from '../core/secrets/encryption.ts';
import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { raiseEpoch } from '../db/deployment.ts';
import { withClient, type Client } from '../db/pools.ts';
import { forget, moveTree, rollBack, type Moved } from '../move-account/move.ts';
import { readConfig } from '../server/config.ts';
import { joinStorage } from '../server/storage.ts';

const help = `${operatorCommand('move-account', '<root> --to <url> --cell <name>')}

Moves a root account, with its connected accounts, keys and all their data, to another cell. The processes of both cells run meanwhile.
Run it with the settings of the cell that has the tree. --to is the address of the other cell's database (postgres://…), and --cell is
that cell's name for the router. If the command ends early, run it again.

<root> --to <url> --roll-back   gives the move up before the target is open
<root> --forget                 deletes the tree in the cell that it has left
--raise-epoch <number>          prepares a cell to receive trees. Run it there, with the processes of that cell stopped
`;

/** What the arguments ask for. */
type Wish =
  | { kind: 'move'; root: string; to: string; cell: string }
  | { kind: 'roll_back'; root: string; to: string }
  | { kind: 'forget'; root: string }
  | { kind: 'raise_epoch'; epoch: number };

/** Moves a tree of accounts to another cell, for `npm run move-account`. */
async function main(): Promise<void> {
  const wish = readWish();
  const storage = await joinStorage(readConfig(process.env));
  try {
    const encryption = new Encryption(storage.masterKey, (length) => randomBytes(length));
    await withClient(storage.connection, (source) => execute(wish, source, encryption));
  } finally {
    await storage.stop();
  }
}

async function execute(wish: Wish, source: Client, encryption: Encryption): Promise<void> {
  switch (wish.kind) {
    case 'raise_epoch':
      await raiseEpoch(source, wish.epoch);
      return print(`The event epoch is ${wish.epoch} or higher. Start the processes of this cell.`);
    case 'forget': {
      const accountIds = await forget(source, wish.root);
      return print(`Forgot ${countOf(accountIds)}.`);
    }
    case 'roll_back':
      return withClient({ connectionString: wish.to }, async (target) => {
        const accountIds = await rollBack({ source, target }, wish.root);
        print(`Rolled back: ${countOf(accountIds)} stay in this cell.`);
      });
    case 'move':
      return withClient({ connectionString: wish.to }, async (target) => {
        const { root, cell } = wish;
        const moveId = randomBytes(8).toString('hex');
        const startedMs = performance.now();
        const moved = await moveTree({ source, target, encryption }, { root, cell, moveId }, (step) =>
          print(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)} s  ${step}`),
        );
        report(moved, root, cell);
      });
  }
}

function report({ accountIds, rows, deliveries, jobs, closedMs, keyHashes }: Moved, root: string, cell: string): void {
  if (closedMs === null) print('The target was open already. The rest of the move is done.');
  else
    print(
      `Moved ${countOf(accountIds)}: ${rows} rows, ${deliveries} pending deliveries and ${jobs} jobs. The tree was closed for ${(closedMs / 1000).toFixed(2)} s.`,
    );
  print(`\nAdd these lines to moved.map of the router now:\n`);
  for (const hash of keyHashes) print(`${hash} ${cell}`);
  print(
    `\nOnce all clients use the new cell, delete the tree here: ${operatorCommand('move-account', `${root} --forget`)}`,
  );
}

function countOf(accountIds: readonly string[]): string {
  return accountIds.length === 1 ? 'one account' : `${accountIds.length} accounts`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Reads the arguments. Ends the process with 2 if they are wrong. */
function readWish(): Wish {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        cell: { type: 'string' },
        'roll-back': { type: 'boolean' },
        forget: { type: 'boolean' },
        'raise-epoch': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const wish = wishOf(positionals, values);
    if (wish) return wish;
  } catch {
    // An option is unknown.
  }
  process.stderr.write(help);
  process.exit(2);
}

function wishOf(
  [root, ...more]: readonly string[],
  values: { to?: string; cell?: string; 'roll-back'?: boolean; forget?: boolean; 'raise-epoch'?: string },
): Wish | null {
  const { to, cell, forget: forgets, 'roll-back': rollsBack, 'raise-epoch': epoch } = values;
  const given = Object.keys(values).sort().join(' ');
  if (more.length > 0) return null;
  if (root === undefined)
    return given === 'raise-epoch' && /^[1-9]\d{0,8}$/.test(epoch!)
      ? { kind: 'raise_epoch', epoch: Number(epoch) }
      : null;
  if (given === 'forget' && forgets) return { kind: 'forget', root };
  if (given === 'roll-back to' && rollsBack) return { kind: 'roll_back', root, to: to! };
  // As in TENURE_CELL.
  if (given === 'cell to' && /^[a-z][a-z0-9]{1,11}$/.test(cell!)) return { kind: 'move', root, to: to!, cell: cell! };
  return null;
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
