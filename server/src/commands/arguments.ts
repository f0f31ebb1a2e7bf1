import { parseArgs } from 'node:util';

/**
 * The arguments of one of the operator's commands; none has options. `--help` prints the help and ends the process with 0. Whatever
 * else begins with `-`, and an argument too many, ends it with 2 and the help. Call it before anything is opened.
 *
 * @param most so many arguments the command takes.
 */
export function readArguments(help: string, most = 0): string[] {
  try {
    const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    // Behind `--` an option looks like a folder, which is never meant.
    if (positionals.length <= most && !positionals.some((argument) => argument.startsWith('-'))) return positionals;
  } catch {
    // An option that is not known.
  }
  process.stderr.write(help);
  process.exit(2);
}
