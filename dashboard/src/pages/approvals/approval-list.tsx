import type { ReactNode } from 'react';
import { operations, type ApprovalRequest, type ApprovalRequestsListParams } from 'tenure';
import { Badge, Time } from '@tenure/ui';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import {
  concernedText,
  useConcerned,
  useEvent,
  type Concerned,
  type RecordPath,
} from '../../office/people-and-home.tsx';
import { nameOf } from '../../office/words.ts';
import { approvalListRoute } from '../../routes.tsx';
import { KeyName } from '../api-keys/key-name.tsx';
import { askingOf, stateChoices, stateOf, subjectOf, titleInWords } from './approval-words.ts';

const approvalList: ListDefinition<ApprovalRequest, 'status' | 'type'> = {
  title: 'Approvals',
  noun: 'approval requests',
  load: (tenure, params, options) =>
    tenure.approvalRequests.list(
      { ...(params as ApprovalRequestsListParams), expand: ['data.workflow_run.workflow', 'data.customer'] },
      options,
    ),
  hrefOf: ({ id }) => `/approvals/${id}`,
  isStacked: true,
  pageSize: 15,
  columns: [
    { title: 'Request', cell: ({ title }) => titleInWords(title) },
    { title: 'Status', cell: (request) => <ApprovalState request={request} /> },
    { title: 'Asked by', cell: (request) => <AskedBy request={request} /> },
    { title: 'About', cell: (request) => <About request={request} /> },
    { title: 'Reason', cell: ({ reason }) => reason ?? '–' },
    { title: 'Asked', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    { name: 'status', label: 'Status', isClosed: true, choices: stateChoices },
    {
      name: 'type',
      label: 'Kind',
      isClosed: true,
      choices: [
        { id: 'agent_request', name: 'Requests of agents' },
        { id: 'workflow_step', name: 'Steps of workflows' },
      ],
    },
  ],
  empty: {
    title: 'No approval requests yet',
    text: 'A sensitive request of an agent’s key waits here for a person. So does a step of a workflow that needs a decision.',
    curl: curlOf(operations.approvalRequests.list),
  },
};

/** What agents and workflows ask of persons. */
export function ApprovalListPage(): ReactNode {
  return <ListPage list={approvalList} search={approvalListRoute.useSearch()} />;
}

function About({ request }: { request: ApprovalRequest }): ReactNode {
  return concernedText(useAbout(request)) ?? (request.customer === null ? '–' : nameOf(request.customer));
}

/** Returns the record that a request is about. */
export function useSubject(request: ApprovalRequest): RecordPath | null {
  return subjectOf(request, useEvent(askingOf(request)?.run.event ?? null));
}

/** Returns all people that a request is about, and the home. A request that makes a record for one person is about this person alone. */
export function useAbout(request: ApprovalRequest): Concerned {
  const found = useConcerned(useSubject(request));
  const { customer, request_body: body } = request;
  const isForOne = typeof body?.customer === 'string' && customer !== null;
  if (found && found.people.length > 0 && !isForOne) return found;
  return { people: customer === null ? [] : [customer], home: found?.home ?? null };
}

export function ApprovalState({ request }: { request: Pick<ApprovalRequest, 'status'> }): ReactNode {
  const { name, tone } = stateOf(request);
  return <Badge tone={tone}>{name}</Badge>;
}

/** The agent or the workflow that asks. */
export function AskedBy({ request }: { request: Pick<ApprovalRequest, 'api_key' | 'workflow_run'> }): ReactNode {
  if (request.api_key !== null) return <KeyName id={request.api_key} />;
  return askingOf(request)?.workflow.name ?? 'A workflow';
}
