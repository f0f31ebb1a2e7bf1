import type { Action } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Records live in themselves and belong to another account: connected accounts to their parent. */
export interface OwnAccount {
  /** Holds the account that it belongs to. */
  column: string;
  /** `/v1/<ownPath>` is where an account finds itself. */
  ownPath: string;
  /** What an account can do with itself: `POST /v1/<ownPath>/<name>`. */
  actions?: Record<string, Action>;
  /** What its first request makes of it: it gets the version of the API that it has until it upgrades. */
  pin(current: StoredRecord, version: string): StoredRecord;
}

export const ownAccount = defineTrait<OwnAccount>();
