import { Option, type Command } from 'commander';
import { catalogue, type Parameter, type Verb } from '../catalogue.ts';
import { CliError } from '../errors.ts';
import { putData, putPair, valueOf, type Params } from '../params.ts';
import type { GlobalFlags } from '../settings/settings.ts';
import { dataOption, idempotencyKeyFlag } from './definitions.ts';

/** The flags of one command for an operation. */
type Flags = GlobalFlags & Record<string, unknown> & { data?: string[]; idempotencyKey?: string };

/** Verbs that cannot be taken back. Each is asked about. */
const finalVerbs: Record<string, string> = {
  delete: 'This deletes it for good.',
  erase: 'This erases it for good, everywhere.',
  roll: 'The old key ends.',
  roll_secret: 'The old secret is void at once.',
};

/**
 * Adds a command for each verb of a resource.
 *
 * @param only adds only the command of this verb. An operation without a resource is a command of its own.
 */
export function addVerbs(parent: Command, resource: string, only?: string): void {
  const verbs = catalogue().resources[resource] ?? {};
  for (const [name, verb] of Object.entries(verbs)) {
    // The stream has commands of its own.
    if (name !== 'stream' && (only === undefined || name === only)) addVerb(parent, resource, name, verb);
  }
}

function addVerb(parent: Command, resource: string, name: string, verb: Verb): void {
  const isList = name === 'list' || name.startsWith('list_');
  const command = parent.command(name).summary(verb.summary).description(descriptionOf(verb));
  const hasId = verb.id !== undefined;
  if (hasId) command.argument('<id>', `its id, ${verb.id}`);
  const words = resource === '' ? wordsOf(verb) : null;
  if (words !== null) command.argument(`<${words}...>`, helpOf(verb.params![words]!));
  for (const [parameter, told] of Object.entries(verb.params ?? {}))
    if (parameter !== words) addFlags(command, parameter, told);
  const isRead =
    isList || verb.isFile || resource === '' || name === 'api_version_preview' || name.startsWith('retrieve');
  const isWrite = verb.params !== undefined && !isRead;
  if (verb.params) {
    command.addOption(dataOption());
  }
  if (isWrite) command.option(...idempotencyKeyFlag);
  if (isList) command.option('--all', 'all pages, not only the first');
  if (verb.isFile) command.option('-o, --output <path>', 'write the file here instead of to standard output');
  if (name === 'recover') command.option('--wait', 'wait until the recovery is complete, and show its progress');
  const example = exampleOf(resource, name, verb);
  command.addHelpText('after', `\nExample:\n  $ ${example}`);
  command.action(async (...given: unknown[]) => {
    const id = hasId ? (given.shift() as string) : undefined;
    const flags = command.optsWithGlobals<Flags>();
    const named = words === null ? {} : { [words]: (given.shift() as string[]).join(' ') };
    const params = { ...(verb.params && paramsFrom(flags, verb.params)), ...named };
    const { runOperation } = await import('./run-operation.ts');
    await runOperation({ resource, name, verb, id, params, flags, question: finalVerbs[name] ?? null });
  });
}

/** Returns the only required parameter of an operation, whose words follow the command: `tenure search ada lovelace`. */
function wordsOf({ params = {} }: Verb): string | null {
  const required = Object.keys(params).filter((name) => params[name]?.required);
  return required.length === 1 ? required[0]! : null;
}

/** What a command needs to call its operation. */
export interface OperationCall {
  resource: string;
  name: string;
  verb: Verb;
  id: string | undefined;
  params: Params;
  flags: GlobalFlags & { all?: boolean; wait?: boolean; output?: string; idempotencyKey?: string };
  question: string | null;
}

function descriptionOf({ summary, about, permission }: Verb): string {
  const text = about === '' ? `${summary}.` : plainText(about);
  return permission === undefined ? text : `${text}\n\nNeeds the permission ${permission}.`;
}

/** Removes Markdown from a text of the API docs. */
function plainText(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
}

/** Returns the flag of a parameter: `--enabled-events`, `--rent.amount`. */
export function flagOf(parameter: string): string {
  return `--${parameter.replaceAll('_', '-')}`;
}

function addFlags(command: Command, name: string, parameter: Parameter): void {
  if (parameter.members) {
    for (const [member, told] of Object.entries(parameter.members)) {
      if (!told.members) addFlags(command, `${name}.${member}`, told);
    }
    return;
  }
  // Lists of objects are JSON.
  if (parameter.kind === 'json' || parameter.items?.members) return;
  const option = new Option(`${flagOf(name)} ${argumentOf(parameter)}`, helpOf(parameter));
  option.argParser((text: string, before: unknown) => flagValue(flagOf(name), parameter, text, before));
  command.addOption(option);
}

function argumentOf({ kind, values }: Parameter): string {
  if (values && values.join('|').length <= 40) return `<${values.join('|')}>`;
  if (kind === 'list') return '<a,b>';
  if (kind === 'map') return '<key=value>';
  if (kind === 'integer') return '<number>';
  if (kind === 'boolean') return '<true|false>';
  if (kind === 'file') return '<path>';
  return kind === 'time' ? '<time>' : '<text>';
}

/** Returns the first sentence of a parameter's text, and whether the parameter is required. */
function helpOf({ doc = '', required }: Parameter): string {
  const [first = ''] = plainText(doc).split(/(?<=\.)\s/);
  return `${first.replace(/\.$/, '')}${required ? ' (required)' : ''}`;
}

function flagValue(flag: string, parameter: Parameter, text: string, before: unknown): unknown {
  if (parameter.kind === 'map') return putPair(flag, (before ?? {}) as Record<string, string>, text);
  const value = valueOf(flag, parameter, text);
  return Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : value;
}

/** Collects the parameters from `-d`, and then from the flags, which win. */
function paramsFrom(flags: Flags, known: Record<string, Parameter>): Params {
  const params: Params = {};
  // Another version has other names, and the server knows them.
  const checked = flags.serviceVersion === undefined ? known : null;
  for (const text of flags.data ?? []) putData(params, text, checked);
  putFlags(params, flags, known, '');
  return params;
}

function putFlags(params: Params, flags: Flags, known: Record<string, Parameter>, at: string): void {
  for (const [name, parameter] of Object.entries(known)) {
    if (parameter.members) {
      const inner: Params = { ...(params[name] as Params | undefined) };
      putFlags(inner, flags, parameter.members, `${at}${name}.`);
      if (Object.keys(inner).length > 0) params[name] = inner;
      continue;
    }
    const value = flags[attributeOf(`${at}${name}`)];
    if (value !== undefined) params[name] = value;
  }
}

/** Returns the name under which commander keeps a flag. */
function attributeOf(parameter: string): string {
  return parameter.replaceAll('_', '-').replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a command line for the example of the API docs. */
export function exampleOf(resource: string, name: string, verb: Verb): string {
  const words = ['tenure', ...(resource === '' ? [] : [resource]), name, ...(verb.id === undefined ? [] : [verb.id])];
  for (const [field, value] of Object.entries(verb.example ?? {})) {
    const parameter = verb.params?.[field];
    if (!parameter) throw new CliError(`The example of ${resource} ${name} has an unknown field ${field}.`);
    words.push(...exampleWords(field, parameter, value));
  }
  if (name === 'list' && verb.params?.limit) words.push('--limit 5');
  for (const [field, { required }] of Object.entries(verb.params ?? {})) {
    // The documents have examples of bodies only, so a required parameter of a query has none.
    if (!required || verb.example) continue;
    words.push(...(resource === '' && wordsOf(verb) === field ? ['lovelace'] : [flagOf(field), `${field}_…`]));
  }
  return words.join(' ');
}

function exampleWords(field: string, { kind, items }: Parameter, value: unknown): string[] {
  if (kind === 'file') return [flagOf(field), 'report.pdf'];
  if (kind === 'map')
    return Object.entries(value as Params).flatMap(([key, text]) => [flagOf(field), `${key}=${text as string}`]);
  if (kind === 'object') {
    return Object.entries(value as Params).flatMap(([member, inner]) => [
      flagOf(`${field}.${member}`),
      shellWord(String(inner)),
    ]);
  }
  if (kind === 'list' && !items?.members) return [flagOf(field), shellWord((value as string[]).join(','))];
  if (kind === 'list' || kind === 'json') return ['-d', shellWord(`${field}:=${JSON.stringify(value)}`)];
  return [flagOf(field), shellWord(String(value))];
}

function shellWord(text: string): string {
  return /^[\w:/.,@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
