import type { UseQueryResult } from '@tanstack/react-query';
import type { Account, ApiKey, ApprovalRequest, Event, User as Member } from 'tenure';
import { defineRead, useRead } from './requests.ts';
import { useUser } from './session.ts';

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

/** How often the count is read again, in milliseconds. Every page shows it. */
const waitingRefreshMs = 30_000;

/** The approval requests that wait for a person: how many, and the newest of them. */
const waitingApprovalsRead = defineRead<{ count: number; newest: ApprovalRequest | null }>(
  async (tenure, _, options) => {
    const { count, data } = await tenure.approvalRequests.list({ status: 'pending', limit: 1 }, options).page();
    return { count, newest: data[0] ?? null };
  },
);

/** Reads the approval requests that wait, for a person that may decide them. All places share one request. */
export function useWaitingApprovals(): UseQueryResult<{ count: number; newest: ApprovalRequest | null }> {
  const isOn = useUser().permissions.includes('approval_requests.write');
  return useRead(waitingApprovalsRead, {}, { isOn, refreshMs: () => waitingRefreshMs });
}
