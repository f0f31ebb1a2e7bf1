import type { Action } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** The record is an account: it contains itself, and belongs to another account. Connected accounts belong to their parent. */
export interface OwnAccount {
  /** The column with the account that it belongs to. */
  column: string;
  /** An account reads itself at `/v1/<ownPath>`. */
  ownPath: string;
  /** The actions of an account on itself: `POST /v1/<ownPath>/<name>`. */
  actions?: Record<string, Action>;
  /** Returns the account after its first request. It stays on this API version until it upgrades. */
  pin(current: StoredRecord, version: string): StoredRecord;
}

export const ownAccount = defineTrait<OwnAccount>();
