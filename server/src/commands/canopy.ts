import { DatabaseClock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { readArguments } from './arguments.ts';

const help = `${operatorCommand('canopy', '<settings.json>')}

Runs the translator between Tenure and Canopy, a referencing company. It speaks the protocol in docs/providers/protocol.md to Tenure, which
finds it by TENURE_PROVIDER_A_URL. docs/providers/canopy.md explains the settings.
`;

/** Runs the translator in front of Canopy, for `npm run canopy`. */
async function main(): Promise<void> {
  const file = settingsFile();
  // Loaded only now, because a wrong argument does not need it.
  const [{ readSettings }, { startCanopy }] = await Promise.all([
    import('../canopy/settings.ts'),
    import('../canopy/server.ts'),
  ]);
  const settings = readSettings(file);
  const server = await startCanopy(settings, { clock: new DatabaseClock(), log });
  process.stdout.write(`The translator to Canopy listens at ${server.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

function log(text: string): void {
  process.stderr.write(`${text}\n`);
}

function settingsFile(): string {
  const [file] = readArguments(help, 1);
  if (file !== undefined) return file;
  process.stderr.write(help);
  process.exit(2);
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
