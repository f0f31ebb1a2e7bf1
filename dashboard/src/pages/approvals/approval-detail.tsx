import { useState, type ReactNode } from 'react';
import type { ApprovalRequest, WorkflowStep } from 'tenure';
import {
  Actions,
  Button,
  CodeBlock,
  Details,
  Dialog,
  ErrorState,
  ExactTime,
  JsonViewer,
  Link,
  TextField,
  toast,
} from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { nounOfId, useEvent, type Concerned } from '../../office/people-and-home.tsx';
import { LinkedName } from '../../office/linked-name.tsx';
import { Notice, PersonLink } from '../../office/parts.tsx';
import { capital, homeOf, idOf, plain } from '../../office/words.ts';
import { approvalRoute } from '../../routes.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { LinkedId } from '../../shell/linked-id.tsx';
import { pathOfId } from '../../shell/navigation.ts';
import { DetailPage, Section } from '../../shell/page.tsx';
import { Maker } from '../api-keys/key-list.tsx';
import { Folded, StepWords } from '../workflows/step-words.tsx';
import { ApprovalState, AskedBy, useAbout, useSubject } from './approval-list.tsx';
import {
  askingOf,
  changesOf,
  consequenceOf,
  reasonHintOf,
  stepsAfter,
  titleInWords,
  withIds,
  type MemberChange,
} from './approval-words.ts';
import styles from './approvals.module.css';

/** Milliseconds. Another person may decide, the agent may send its request, and the record may change. */
const refreshMs = 5_000;

const approvalRead = defineRead<ApprovalRequest, { id: string }>((tenure, { id }, options) =>
  tenure.approvalRequests.retrieve(id, { expand: ['workflow_run.workflow', 'customer'] }, options),
);

/** A record of any kind, by the path in the request of the agent. */
const recordRead = defineRead<object, { path: string }>((tenure, { path }, options) =>
  tenure.request<object>('GET', path, undefined, options),
);

/** The newest event of a record, which tells whether it has changed. */
const newestEventRead = defineRead((tenure, { object }: { object: string }, options) =>
  tenure.events.list({ object_id: object, limit: 1 }, options).page(),
);

/** One question to a person: what an agent wants to send, beside the record as it is now. */
export function ApprovalPage(): ReactNode {
  const { id } = approvalRoute.useParams();
  const query = useRead(
    approvalRead,
    { id },
    { refreshMs: ({ status }) => (['pending', 'approved'].includes(status) ? refreshMs : false) },
  );
  return (
    <DetailPage
      id={id}
      noun="Approval request"
      parent={{ href: '/approvals', name: 'Approvals' }}
      query={query}
      subtitle={({ title }) => titleInWords(title)}
      actions={(request) => <Decisions request={request} />}
    >
      {(request) => (
        <>
          <Facts request={request} />
          <Consequences request={request} />
          <div className={styles.beside}>
            <Asked request={request} />
            <RecordNow request={request} />
          </div>
        </>
      )}
    </DetailPage>
  );
}

function Facts({ request }: { request: ApprovalRequest }): ReactNode {
  const { created, expires_at: endsAt, decided_by: decider, decided_at: decidedAt, status } = request;
  const { people, home } = useAbout(request);
  const isOpen = status === 'pending' || status === 'approved';
  const facts: [term: string, value: ReactNode][] = [
    ['Status', <ApprovalState key="status" request={request} />],
    ['Asked by', <Asker key="by" request={request} />],
    ...(request.type === 'agent_request' ? [['Reason', request.reason] satisfies [string, ReactNode]] : []),
    ['Asked', <ExactTime key="asked" at={created} />],
  ];
  if (isOpen && endsAt !== null)
    facts.push([status === 'approved' ? 'Can be used until' : 'Expires', <ExactTime key="ends" at={endsAt} />]);
  if (people.length > 0)
    facts.push([people.length === 1 ? 'Person' : 'People', <People key="people" people={people} />]);
  if (home !== null) facts.push(['Home', <LinkedName key="home" record={home} name={homeOf(home)} />]);
  if (decider !== null) facts.push(['Decided by', <Maker key="decider" id={decider} />]);
  if (decidedAt !== null) facts.push(['Decided', <ExactTime key="decided" at={decidedAt} />]);
  if (request.decision_reason !== null) facts.push(['Reason of the decision', request.decision_reason]);
  if (request.executed_request !== null)
    facts.push(['Log of the request', <LinkedId key="log" id={request.executed_request} />]);
  return <Details items={facts} />;
}

/** The agent that asks, or the workflow with its run. */
function Asker({ request }: { request: ApprovalRequest }): ReactNode {
  const asking = askingOf(request);
  if (asking === null) return <AskedBy request={request} />;
  const { workflow, run } = asking;
  return (
    <>
      <Link href={`/workflows/${workflow.id}`}>{workflow.name}</Link>,{' '}
      <Link href={`/workflow-runs/${run.id}`}>its run</Link>
    </>
  );
}

/** People by name. An id stands for a person whose record is not here. */
function People({ people }: { people: Concerned['people'] }): ReactNode {
  return (
    <ul className={styles.people}>
      {people.map((person) => (
        <li key={person === null ? '' : idOf(person)}>
          {typeof person === 'string' ? <LinkedId id={person} /> : <PersonLink person={person} />}
        </li>
      ))}
    </ul>
  );
}

/** What follows from a yes and from a no, before a person decides. */
function Consequences({ request }: { request: ApprovalRequest }): ReactNode {
  if (request.status !== 'pending') return null;
  return (
    <Details
      items={[
        ['If you approve', <AfterApproval key="yes" request={request} />],
        ['If you reject', consequenceOf(request, 'reject')],
      ]}
    />
  );
}

/** Returns a step without the condition that a person approves, because that is given here. */
function withoutApproval(step: WorkflowStep): WorkflowStep {
  return { ...step, if: (step.if ?? []).filter(({ path }) => !path.endsWith('.output.approval_request')) };
}

/** What a workflow does after an approval, or that the agent can send its request. */
function AfterApproval({ request }: { request: ApprovalRequest }): ReactNode {
  const asking = askingOf(request);
  const event = useEvent(asking?.run.event ?? null);
  const steps = asking && stepsAfter(asking);
  if (steps === null) return consequenceOf(request, 'approve');
  if (steps.length === 0) return 'The workflow ends. No further step follows.';
  const context = { type: event?.type ?? asking!.workflow.trigger.type };
  return (
    <>
      The workflow takes {steps.length === 1 ? 'this step' : 'these steps'}:
      <ol className={styles.following}>
        {steps.map((step) => (
          <li key={step.id}>
            <StepWords step={withoutApproval(step)} context={context} />
            <Folded>
              <CodeBlock title="Step" text={JSON.stringify(step, null, 2)} />
            </Folded>
          </li>
        ))}
      </ol>
    </>
  );
}

/** What will be sent, or what a workflow asks. */
function Asked({ request }: { request: ApprovalRequest }): ReactNode {
  const { type, title, method, path, request_body: body } = request;
  if (type === 'workflow_step')
    return (
      <Section title="What the workflow asks">
        <p>
          {withIds(title).map(({ number, text, isId }) =>
            isId && pathOfId(text) !== null ? (
              <Link key={number} href={pathOfId(text)!}>
                {nounOfId(text)}
              </Link>
            ) : (
              <span key={number}>{text}</span>
            ),
          )}
        </p>
      </Section>
    );
  return (
    <Section title="What the agent wants to send">
      <p>
        {title}: <code className={styles.path}>{`${method} ${path}`}</code>
      </p>
      {body === null || Object.keys(body).length === 0 ? (
        <p>There is no further data, or it was erased, or you may not see it.</p>
      ) : (
        <JsonViewer title="Body of the request" value={body} />
      )}
    </Section>
  );
}

/** The record as it is now, and whether it has changed since the question. */
function RecordNow({ request }: { request: ApprovalRequest }): ReactNode {
  const mayReadEvents = useUser().permissions.includes('events.read');
  const record = useSubject(request);
  const isOpen = request.status === 'pending' || request.status === 'approved';
  const again = { refreshMs: () => (isOpen ? refreshMs : false) } as const;
  const now = useRead(recordRead, { path: record?.path ?? '' }, { isOn: record !== null, ...again });
  const newest = useRead(
    newestEventRead,
    { object: record?.id ?? '' },
    { isOn: record !== null && isOpen && mayReadEvents, ...again },
  ).data?.data[0];
  if (record === null) return null;
  // Ids sort by their time.
  const isChanged = newest !== undefined && timePartOf(newest.id) > timePartOf(request.id);
  return (
    <Section title="The record now">
      <p>
        <LinkedId id={record.id} />
      </p>
      {isOpen && isChanged && (
        <Notice
          tone="warning"
          title={`It has changed since the ${request.type === 'workflow_step' ? 'workflow' : 'agent'} asked`}
        >
          <p>
            <ExactTime at={newest.created} />: <code>{newest.type}</code>. Compare it with the request before you
            decide.
          </p>
        </Notice>
      )}
      {now.error !== null && <ErrorState error={shownError(now.error)} onRetry={() => void now.refetch()} />}
      {now.data !== undefined && isOpen && (
        <Changes changes={changesOf(request, { path: record.path, data: now.data })} />
      )}
      {now.data !== undefined && (
        <>
          <Details items={stateOfRecord(now.data)} />
          <Folded>
            <JsonViewer title="Record" value={now.data} />
          </Folded>
        </>
      )}
    </Section>
  );
}

/** Where a record stands, in words. */
function stateOfRecord(record: object): [string, ReactNode][] {
  const { status, outcome, references } = record as {
    status?: unknown;
    outcome?: unknown;
    references?: { total?: number; by_status?: { complete?: number }; result?: string | null };
  };
  return [
    ...(typeof status === 'string' ? [['Status', capital(plain(status))] satisfies [string, ReactNode]] : []),
    ...(typeof outcome === 'string' ? [['Outcome', capital(plain(outcome))] satisfies [string, ReactNode]] : []),
    ...(typeof references?.total === 'number'
      ? [
          [
            'Checks',
            `${references.by_status?.complete ?? 0} of ${references.total} complete${references.result ? `: ${plain(references.result)}` : ''}`,
          ] satisfies [string, ReactNode],
        ]
      : []),
  ];
}

function Changes({ changes }: { changes: readonly MemberChange[] }): ReactNode {
  if (changes.length === 0) return null;
  return (
    <>
      <p>The request would change:</p>
      <Details
        items={changes.map(({ member, values }) => [
          member,
          values === null ? (
            'as in the body of the request'
          ) : (
            <span key={member}>
              <code>{values.from}</code> to <code>{values.to}</code>
            </span>
          ),
        ])}
      />
    </>
  );
}

function timePartOf(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

function Decisions({ request }: { request: ApprovalRequest }): ReactNode {
  const lacking = useRefusal('approval_requests.write');
  const [open, setOpen] = useState<'approve' | 'reject' | null>(null);
  if (request.status !== 'pending') return null;
  return (
    <>
      <Button isDisabled={lacking !== null} onPress={() => setOpen('reject')}>
        Reject
      </Button>
      <GatedButton look="primary" refusal={lacking} onPress={() => setOpen('approve')}>
        Approve
      </GatedButton>
      {open !== null && <DecisionDialog request={request} decision={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Asks for the reason of a decision, and says what follows. The server asks the person to confirm that it is them. */
function DecisionDialog(props: {
  request: ApprovalRequest;
  decision: 'approve' | 'reject';
  onClose: () => void;
}): ReactNode {
  const { request, decision, onClose } = props;
  const isApproval = decision === 'approve';
  const [reason, setReason] = useState('');
  const deciding = useWrite(
    (tenure, words: string, options) =>
      tenure.approvalRequests[decision](request.id, words === '' ? {} : { reason: words }, options),
    {
      onDone: () => {
        toast(isApproval ? 'The request is approved.' : 'The request is rejected.');
        onClose();
      },
    },
  );
  return (
    <Dialog title={isApproval ? 'Approve the request?' : 'Reject the request?'} isOpen onClose={onClose}>
      <Form
        error={deciding.error}
        fields={['reason']}
        onSubmit={() => deciding.mutate(reason.trim())}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look={isApproval ? 'primary' : 'danger'} type="submit" isDisabled={deciding.isPending}>
              {isApproval ? 'Approve the request' : 'Reject the request'}
            </Button>
          </Actions>
        }
      >
        <p>
          <strong>{titleInWords(request.title)}</strong>
        </p>
        <TextField
          label="Reason (optional)"
          hint={reasonHintOf(request, decision)}
          value={reason}
          onChange={setReason}
          isMultiline
          maxLength={500}
          error={faultOf(deciding.error, 'reason')}
        />
        <p>{consequenceOf(request, decision)}</p>
      </Form>
    </Dialog>
  );
}
