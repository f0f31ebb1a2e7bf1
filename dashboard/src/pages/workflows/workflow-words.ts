import { operations } from 'tenure';
import type { Tone } from '@tenure/ui';
import { capital, listed, plain } from '../../office/words.ts';
import { nameOfKind } from '../api-keys/permissions.ts';

/** The statuses of workflows and of their runs, as the colours of badges. */
export const tones: Readonly<Record<string, Tone>> = {
  draft: 'neutral',
  active: 'good',
  paused: 'warning',
  archived: 'neutral',
  running: 'waiting',
  waiting: 'waiting',
  succeeded: 'good',
  skipped: 'neutral',
  failed: 'bad',
  canceled: 'neutral',
};

/** Returns the message of a failed step without ids, for a line of a list. */
export function shortReason(message: string): string {
  return message.replaceAll(/ ?`?\b[a-z]+_[0-9A-Za-z]{22}\b`?/g, '');
}

/** Returns a status as a title: "Failed". */
export function statusText(status: string): string {
  return capital(plain(status));
}

/** The actions of steps, with their names in the editor. */
export const actionNames = {
  api: 'Make or change a record',
  email: 'Write to a person by e-mail',
  approval: 'Ask a person to decide',
  wait: 'Wait',
  wait_for_event: 'Wait until something happens',
  http: 'Post to another server',
} as const;

export type ActionName = keyof typeof actionNames;

const opWords: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

/** The comparisons of filters, for the editor. */
export const ops = [
  ...Object.entries(opWords).map(([id, name]) => ({ id, name })),
  { id: 'exists', name: 'is there (true) or not (false)' },
  { id: 'changed', name: 'has changed (true) or not (false)' },
];

/** A condition, as a draft or as the API has it. */
interface FilterLike {
  path: string;
  op: string;
  value?: unknown;
}

/** A step, as a draft or as the API has it. */
interface StepLike {
  action: string;
  path?: string | undefined;
  body?: object | undefined;
  url?: string | undefined;
  to?: string | undefined;
  subject?: string | undefined;
  seconds?: number | undefined;
  until?: string | undefined;
  type?: string | undefined;
  timeout?: number | undefined;
  title?: string | undefined;
}

/** Where the words of a path begin: the event of the trigger, or one that a step waits for. */
export interface PathContext {
  /** The type of the event, such as `application.created`. */
  type: string;
}

/** Returns a condition in words: "the status of the application is open". */
export function filterText({ path, op, value }: FilterLike, context: PathContext): string {
  const [, step, member] = /^steps\.(\w+)\.output\.(?:\d+\.)?(timed_out|approval_request)$/.exec(path) ?? [];
  if (member === 'timed_out' && op === 'eq' && typeof value === 'boolean')
    return value ? `nothing happened in time in the step “${step}”` : `the step “${step}” has ended in time`;
  if (member === 'approval_request' && op === 'exists')
    return `a person has ${value === false ? 'not ' : ''}approved in the step “${step}”`;
  const text = pathText(path, context);
  if (op === 'exists') return `${text} is ${value === false ? 'not there' : 'there'}`;
  if (op === 'changed') return `${text} has ${value === false ? 'not changed' : 'changed'}`;
  return `${text} ${opWords[op] ?? op} ${valueText(value, context)}`;
}

/** Returns conditions in words, or null if there are none. */
export function filtersText(filters: readonly FilterLike[] | undefined, context: PathContext): string | null {
  return filters && filters.length > 0 ? filters.map((each) => filterText(each, context)).join(', and ') : null;
}

function valueText(value: unknown, context: PathContext): string {
  if (Array.isArray(value)) return value.map((each) => valueText(each, context)).join(' or ');
  return typeof value === 'string' ? withPathsInWords(value, context) : JSON.stringify(value);
}

/** What offices call the kinds of records. Other kinds have the names of the API. */
const nouns: Readonly<Record<string, string>> = {
  reference: 'check',
  customer: 'person',
  unit: 'home',
  invoice: 'bill',
  subscription: 'regular charge',
};

function nounOf(kind: string): string {
  return nouns[kind] ?? plain(kind);
}

function withArticle(noun: string): string {
  return `${/^[aeiou](?!ni|se)/.test(noun) ? 'an' : 'a'} ${noun}`;
}

const verbWords: Readonly<Record<string, string>> = {
  created: 'is made',
  updated: 'is changed',
  completed: 'is complete',
  failed: 'has failed',
  succeeded: 'has succeeded',
  ended: 'has ended',
  agreed: 'has agreed',
  declined: 'has declined',
};

/** Returns when an event happens, in words: "an application is made". */
export function eventText(type: string): string {
  const [kind = '', verb = ''] = type.split('.');
  const noun = withArticle(nounOf(kind));
  if (verb === '*') return `anything happens to ${noun}`;
  if (verb.includes('_') || verb === '') return `${noun} has the event “${plain(verb)}”`;
  return `${noun} ${verbWords[verb] ?? `is ${verb}`}`;
}

/** The members of records by other names than those of the API. */
const memberWords: Readonly<Record<string, string>> = {
  customers: 'people',
  customer: 'person',
  unit: 'home',
  references: 'checks',
};

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Returns what a path leads to, in words: "the people of the application". */
export function pathText(path: string, { type }: PathContext): string {
  const record = `the ${nounOf(type.split('.')[0] ?? '')}`;
  const parts = path.trim().split('.');
  if (parts[0] === 'item') return members('that one', parts.slice(1));
  if (parts[0] === 'steps' && parts[2] === 'output')
    return parts.length === 3
      ? `the results of the step “${parts[1]}”`
      : members(`the step “${parts[1]}”`, parts.slice(3));
  const inEvent = parts[0] === 'event' ? parts.slice(1) : parts;
  if (inEvent[0] === 'data' && inEvent[1] === 'object') return members(record, inEvent.slice(2));
  if (inEvent[0] === 'data' && inEvent[1] === 'previous_attributes')
    return `${members(record, inEvent.slice(2))} before`;
  return path;
}

function members(start: string, names: readonly string[]): string {
  return names
    .filter((name, at) => name !== 'id' || at < names.length - 1)
    .reduce((of, name) => {
      const word = /^\d+$/.test(name)
        ? (ordinals[Number(name)] ?? `number ${Number(name) + 1}`)
        : (memberWords[name] ?? plain(name));
      return `the ${word} of ${of}`;
    }, start);
}

/** Returns a text with its templates in words: "Pay ‹the amount due of the bill›". */
export function withPathsInWords(text: string, context: PathContext): string {
  return text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, path: string) => `‹${pathText(path, context)}›`);
}

/** The operations that a step can send, by their paths. */
const sendable: ReadonlyMap<string, string> = new Map(
  Object.entries(operations).flatMap(([resource, table]) =>
    Object.entries(table as Record<string, { method?: string; path?: string }>).flatMap(([name, { method, path }]) =>
      method === 'POST' && path !== undefined ? [[path, `${resource}.${name}`] as const] : [],
    ),
  ),
);

/** Returns what a request does, in words: "approves the application". Null if the API has no such request. */
export function requestText(path: string, body?: object): string | null {
  const plainPath = path
    .trim()
    .split('?')[0]!
    .replaceAll(/\{\{[^{}]*\}\}|\b[a-z]+_[0-9A-Za-z]{22}\b/g, '{id}');
  const verb = sendable.get(plainPath)?.split('.')[1];
  const kind = /^\/v1\/([a-z_]+)/.exec(plainPath)?.[1];
  if (verb === undefined || kind === undefined) return null;
  const id = /\b[a-z]+_[0-9A-Za-z]{22}\b/.exec(path)?.[0];
  // A record that the workflow names itself may be another one than that of the event.
  const noun = nounOf(kind.replace(/ies$/, 'y').replace(/s$/, '')) + (id === undefined ? '' : ` ${id}`);
  if (verb === 'create') return `makes ${withArticle(noun)}`;
  if (verb === 'update' && (body === undefined || Object.keys(body).length === 0))
    return `looks the ${noun} up, and changes nothing`;
  const [word = '', ...rest] = verb.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  const third = /(?:[sx]|ch|sh)$/.test(word) ? `${word}es` : word.replace(/([^aeiou])y$/, '$1ie').concat('s');
  if (verb === 'update') return `changes the ${noun}`;
  return rest.length === 0 ? `${third} the ${noun}` : `takes the action “${[word, ...rest].join(' ')}” of the ${noun}`;
}

/** Returns the members of a body in words: "application: ‹the application›". */
function bodyText(body: object | undefined, context: PathContext): string {
  const parts = memberTexts(body ?? {}, context);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Returns each member in words, also those within members: "rent amount: 95000". */
function memberTexts(body: object, context: PathContext, within = ''): string[] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const words = `${within}${memberWords[name] ?? plain(name)}`;
    if (!Array.isArray(value) && typeof value === 'object' && value !== null)
      return memberTexts(value, context, `${words} `);
    const items = (Array.isArray(value) ? value : [value]) as unknown[];
    const texts = items.map((each) =>
      typeof each === 'object' && each !== null ? memberTexts(each, context).join(' ') : valueText(each, context),
    );
    return [`${words}: ${texts.join(' and ')}`];
  });
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** The units of a duration, for the editor. */
export const durationUnits = units.map(([seconds, name]) => ({ id: String(seconds), name: `${name}s` }));

/** Returns the largest unit, in seconds, that measures a duration in whole numbers. */
export function unitOf(seconds: number): number {
  return units.find(([unit]) => seconds % unit === 0)![0];
}

/** Returns a duration in words: "3 days". */
export function durationText(seconds: number): string {
  const unit = unitOf(seconds);
  const [, name] = units.find(([each]) => each === unit)!;
  const count = seconds / unit;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Returns what a step does, in a sentence. */
export function stepText(step: StepLike, context: PathContext): string {
  const words = (text: string | undefined): string => withPathsInWords(text ?? '', context);
  switch (step.action) {
    case 'api': {
      if (!step.path?.startsWith('/')) return 'Makes or changes a record.';
      const does = requestText(step.path, step.body);
      return does === null ? `Sends ${step.path} to this API.` : `${capital(does)}${bodyText(step.body, context)}.`;
    }
    case 'http':
      return `Posts ${step.body ? 'a text' : 'the event'} to ${step.url ?? ''}.`;
    case 'email':
      return `Writes “${words(step.subject)}” to ${words(step.to)}.`;
    case 'wait':
      return step.seconds === undefined
        ? `Waits until ${pathText(step.until ?? '', context)}.`
        : `Waits ${durationText(step.seconds)}.`;
    case 'wait_for_event':
      return `Waits up to ${durationText(step.timeout ?? 0)} until ${eventText(step.type ?? '')}.`;
    case 'approval':
      return `Asks “${words(step.title)}”, and waits up to ${durationText(step.timeout ?? 86_400)} for a person.`;
    default:
      return step.action;
  }
}

/** Returns what a workflow may do, in words: "read and change references, and read customers". */
export function mayText(permissions: readonly string[]): string {
  const parts = permissions.map((permission) => {
    const [kind = '', level] = permission.split('.');
    return `${level === 'write' ? 'read and change' : 'read'} ${nameOfKind(kind).toLowerCase()}`;
  });
  return parts.length === 0 ? 'read and change nothing here' : listed(parts);
}
