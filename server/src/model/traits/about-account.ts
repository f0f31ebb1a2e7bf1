import { defineTrait } from '../trait.ts';

/** The record is about a record of another kind. That record may belong to a connected account. */
export interface AboutAccount {
  /** The path of the other kind. */
  path: string;
  /** The column with that connected account, shown as `account`. Null if the other record is the account's own. */
  column: string;
}

export const aboutAccount = defineTrait<AboutAccount>();
