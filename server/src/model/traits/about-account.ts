import { defineTrait } from '../trait.ts';

/** A record is about one of another kind, which may be a connected account's. */
export interface AboutAccount {
  /** Of the other kind. */
  path: string;
  /** Holds that connected account, and `account` shows it; null if the other record is the account's own. */
  column: string;
}

export const aboutAccount = defineTrait<AboutAccount>();
