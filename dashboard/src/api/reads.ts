import type { Account, ApiKey, Event, User as Member } from 'tenure';
import { defineRead } from './requests.ts';

/* What several pages read. Those of one page stand in its file. */

/** The account of the page. */
export const accountRead = defineRead<Account>((tenure, _, options) => tenure.account.retrieve({}, options));

/** One event, in an API version if there is one. */
export const eventRead = defineRead<Event, { id: string; version?: string }>((tenure, { id, version }, options) =>
  tenure.events.retrieve(id, {}, { ...options, ...(version !== undefined && { apiVersion: version }) }),
);

/** The most keys that a page looks through. */
const keysMax = 500;

/** The API keys of the account, also those that have ended. */
export const keysRead = defineRead<ApiKey[]>((tenure, _, options) =>
  tenure.apiKeys.list({ limit: 50 }, options).toArray({ limit: keysMax }),
);

/** The most members that a page looks through. Larger teams use the API. */
const membersMax = 500;

/** The members of the account. */
export const membersRead = defineRead<Member[]>((tenure, _, options) =>
  tenure.users.list({}, options).toArray({ limit: membersMax }),
);
