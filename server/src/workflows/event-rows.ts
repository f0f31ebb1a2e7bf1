import { parseJson } from '../core/json.ts';
import type { StoredEvent } from './events.ts';

/** An event as the database has it. */
export interface EventRow extends Record<string, unknown> {
  id: string;
  created: number;
  type: string;
  data: string;
  request: string;
  shape_version: string;
}

export function rowToEvent({ id, created, type, data, request, shape_version }: EventRow): StoredEvent {
  return { id, created, type, data: parseJson(data), request: parseJson(request), shape_version };
}
