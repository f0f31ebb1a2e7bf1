import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Given extends Options> = ReturnType<typeof parseArgs<{ options: Given }>>['values'];

/**
 * Reads the options of an operator's command that takes no other arguments, before it opens anything. The option `--help` prints the help
 * and ends the process with 0. Any other argument prints the help and ends it with 2.
 *
 * @param isComplete false if an option is missing or wrong.
 */
export function readOptions<const Given extends Options>(
  help: string,
  options: Given,
  isComplete: (values: Values<Given>) => boolean = () => true,
): Values<Given> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if ((values as { help?: boolean }).help) {
      process.stdout.write(help);
      process.exit(0);
    }
    if (isComplete(values)) return values;
  } catch {
    // The option is unknown.
  }
  process.stderr.write(help);
  process.exit(2);
}

/**
 * Reads the arguments of an operator's command without options, before it opens anything. The option `--help` prints the help and ends
 * the process with 0. Any other argument that begins with `-`, or one too many, prints the help and ends it with 2.
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
