import { defineTrait } from '../trait.ts';

/**
 * Records hold other records as they were: events. They are stored in the shape that a version of the API had then. A response converts
 * them to the version that is asked for, and names it in `api_version`.
 */
export interface Snapshot {
  /** Holds the version whose shape a record is kept in. */
  versionColumn: string;
}

export const snapshot = defineTrait<Snapshot>();
