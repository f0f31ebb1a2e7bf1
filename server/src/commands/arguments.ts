import { parseArgs } from 'node:util';

/**
 * Reads the arguments of an operator's command, before it opens anything. No command has options. `--help` prints the help and ends the
 * process with 0. Any other argument that begins with `-`, or one too many, prints the help and ends it with 2.
 *
 * @param most the number of arguments that the command takes.
 */
export function readArguments(help: string, most = 0): string[] {
  try {
    const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    // Reject an option behind `--` too: it would be taken for a folder.
    if (positionals.length <= most && !positionals.some((argument) => argument.startsWith('-'))) return positionals;
  } catch {
    // The option is unknown.
  }
  process.stderr.write(help);
  process.exit(2);
}
