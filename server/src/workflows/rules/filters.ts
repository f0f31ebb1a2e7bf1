import { sameJson, type Json, type JsonObject } from '../../core/json-diff.ts';
import { valueAt } from './paths.ts';

export const filterOps = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'changed'] as const;

export type FilterOp = (typeof filterOps)[number];

/** A condition about the value at a path. */
export interface Filter {
  path: string;
  op: FilterOp;
  /** Left out by `exists` and `changed`: then it is `true`. */
  value?: Json;
}

/** The value at a path, and whether an update has changed it. */
export interface Look {
  value: Json | undefined;
  isChanged: boolean;
}

/** Returns whether all filters match. Null and a missing value are the same. */
export function matchesAll(filters: readonly Filter[], look: (path: string) => Look): boolean {
  return filters.every((filter) => matches(filter, look(filter.path)));
}

/**
 * Returns false if a word that the filters want is missing in the text of an event's data. This spares the parsing of most events. The
 * text must be of the API version of the filters.
 */
export function mayMatch(filters: readonly Filter[], data: string): boolean {
  return filters.every(
    ({ path, op, value }) =>
      op !== 'eq' ||
      typeof value !== 'string' ||
      !path.startsWith('data.') ||
      !isPlain.test(value) ||
      data.includes(`"${value}"`),
  );
}

/** A value that JSON writes as it is. */
const isPlain = /^[\w.:@ -]*$/;

function matches({ op, value: wanted = null }: Filter, { value = null, isChanged }: Look): boolean {
  switch (op) {
    case 'eq':
      return sameJson(value, wanted);
    case 'ne':
      return !sameJson(value, wanted);
    case 'in':
      return Array.isArray(wanted) && wanted.some((one) => sameJson(value, one));
    case 'exists':
      return (value !== null) === (wanted ?? true);
    case 'changed':
      return isChanged === (wanted ?? true);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(op, value, wanted);
  }
}

/** Compares two numbers or two texts, such as days. Values of other types have no order. */
function compares(op: 'gt' | 'gte' | 'lt' | 'lte', value: Json, wanted: Json): boolean {
  const areNumbers = typeof value === 'number' && typeof wanted === 'number';
  const areTexts = typeof value === 'string' && typeof wanted === 'string';
  if (!areNumbers && !areTexts) return false;
  if (op === 'gt') return value > wanted;
  if (op === 'gte') return value >= wanted;
  return op === 'lt' ? value < wanted : value <= wanted;
}

/** Looks at a path of an event, such as `data.object.status`. */
export function lookInEvent(event: JsonObject, path: string): Look {
  const names = path.split('.');
  const [data, object, ...member] = names;
  const isOfRecord = data === 'data' && object === 'object' && member.length > 0;
  const previous = isOfRecord ? valueAt(event, ['data', 'previous_attributes', ...member]) : undefined;
  return { value: valueAt(event, names), isChanged: previous !== undefined };
}
