import type { Choice } from '@tenure/ui';
import { capital } from '../../office/words.ts';
import type { DraftStep } from './draft.ts';
import { eventText, filterText, pathText, withPathsInWords } from './workflow-words.ts';

/* What the fields of the editor offer, each with its words. Any other path can be typed. */

/** The members of records that workflows of an office look at, by the kind of the event. */
const members: Readonly<Record<string, readonly string[]>> = {
  application: ['id', 'status', 'customers', 'unit', 'move_in_date', 'references.result'],
  reference: ['id', 'status', 'outcome', 'customer', 'application'],
  tenancy: ['id', 'status', 'customers', 'unit', 'start_date'],
  invoice: ['id', 'status', 'customers', 'due_on', 'number'],
  payment: ['id', 'status'],
  deposit: ['id', 'status', 'unit'],
  unit: ['id', 'status'],
  customer: ['id'],
};

/** Where a field is: the type of the event, and the steps before. */
export interface Place {
  type: string;
  earlier: readonly DraftStep[];
}

/** Returns the types of events, each in words. */
export function eventChoices(types: readonly string[]): Choice[] {
  return types.map((type) => ({ id: type, name: type, description: capital(eventText(type)) }));
}

/** Returns the paths within the data of an event: `data.object.status`. */
export function eventPathChoices(type: string): Choice[] {
  return membersOf(type).map((member) => choice(`data.object.${member}`, (path) => pathText(path, { type })));
}

/** Returns the paths that a condition of a step can look at. */
export function conditionChoices({ type, earlier }: Place): Choice[] {
  const words = (path: string): string => pathText(path, { type });
  const results = earlier.flatMap(({ id, action }) => {
    if (action === 'wait_for_event')
      return [choice(`steps.${id}.output.timed_out`, (path) => filterText({ path, op: 'eq', value: true }, { type }))];
    if (action === 'approval')
      return [choice(`steps.${id}.output.approval_request`, (path) => filterText({ path, op: 'exists' }, { type }))];
    return action === 'api' ? [choice(`steps.${id}.output.status`, words)] : [];
  });
  return [...results, ...membersOf(type).map((member) => choice(`event.data.object.${member}`, words))];
}

/** Returns the lists that a step can run once for each item of. */
export function listChoices({ type, earlier }: Place): Choice[] {
  const words = (path: string): string => capital(pathText(path, { type }));
  return [
    ...(membersOf(type).includes('customers') ? [choice('event.data.object.customers', words)] : []),
    ...earlier
      .filter(({ forEach, action }) => forEach !== '' && action === 'api')
      .map(({ id }) => choice(`steps.${id}.output`, words)),
  ];
}

/** Returns the people that an e-mail can go to. */
export function personChoices({ type }: Place, forEach: string): Choice[] {
  const own = membersOf(type);
  const paths = [
    ...(forEach === '' ? [] : ['item']),
    ...(own.includes('customer') ? ['event.data.object.customer'] : []),
    ...(own.includes('customers') ? ['event.data.object.customers.0'] : []),
  ];
  return paths.map((path) => choice(`{{${path}}}`, (template) => withPathsInWords(template, { type })));
}

/** Returns a path of a request with the id of its record, if the event has that: `/v1/applications/{{event.data.object.id}}/approve`. */
export function pathWithId(path: string, type: string): string {
  const kind = /^\/v1\/([a-z_]+)\//.exec(path)?.[1]?.replace(/ies$/, 'y').replace(/s$/, '');
  if (kind === undefined) return path;
  const member = kind === type.split('.')[0] ? 'id' : membersOf(type).find((each) => each === kind);
  return member === undefined ? path : path.replace('/{id}', `/{{event.data.object.${member}}}`);
}

function membersOf(type: string): readonly string[] {
  return members[type.split('.')[0] ?? ''] ?? ['id'];
}

function choice(text: string, words: (text: string) => string): Choice {
  return { id: text, name: text, description: words(text) };
}
