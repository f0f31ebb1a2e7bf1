import { exitCodes } from './errors.ts';
import { version } from './version.ts';

/** Runs a command line, and returns its exit code. */
async function main(args: string[]): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
  const [{ makeProgram }, { exitCodeOf, plainArguments }] = await Promise.all([
    import('./program.ts'),
    import('./command-line.ts'),
  ]);
  // As in git, `tenure help references` is `tenure references --help`.
  const plain = plainArguments(args[0] === 'help' ? [...args.slice(1), '--help'] : args);
  const program = makeProgram(plain);
  try {
    await program.parseAsync(plain.length === 0 ? ['--help'] : plain, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return exitCodeOf(error);
  }
}

// A reader such as `head` may leave early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.refused);
});

const code = await main(process.argv.slice(2));
process.exitCode ??= code;
