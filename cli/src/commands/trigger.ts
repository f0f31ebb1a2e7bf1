import { catalogue } from '../catalogue.ts';
import { CliError } from '../errors.ts';
import { adviceOn } from '../nearest.ts';
import { putData, type Params } from '../params.ts';
import { showJson } from '../output/show.ts';
import { safeText } from '../output/text.ts';
import { Session } from '../session.ts';
import type { TriggerFlags } from './definitions.ts';
import { recipes } from '../trigger/recipes.ts';

/** Causes events, and prints the id of each record. With `--json`, it prints an object for each event. */
export async function runTrigger(type: string | undefined, flags: TriggerFlags): Promise<void> {
  const known = catalogue().eventTypes;
  if (type === undefined)
    throw new CliError(
      `Which event? Use one of: ${Object.keys(recipes)
        .filter((each) => typeof recipes[each] !== 'string')
        .join(', ')}.`,
    );
  const recipe = Object.hasOwn(recipes, type) ? recipes[type]! : unknownType(type, known);
  if (typeof recipe === 'string') throw new CliError(`${type} cannot be triggered: ${recipe}`);
  const count = Number(flags.count);
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    throw new CliError('--count must be a whole number from 1 to 1000.');
  const session = await Session.open(flags);
  if (session.settings.isLive)
    throw new CliError('Events are triggered in a sandbox only, and this key is for live data. Use a key with _test_.');
  const overrides: Params = {};
  for (const text of flags.override ?? []) putData(overrides, text, null);
  const { client, options, terminal } = session;
  for (let made = 0; made < count; made++) {
    const id = await recipe({ client, options, overrides });
    terminal.out(flags.json ? showJson({ type, id }, terminal) : `${type}  ${safeText(id)}`);
  }
}

function unknownType(type: string, known: readonly string[]): never {
  throw new CliError(`There is no event "${type}".${adviceOn(type, known)}`);
}
