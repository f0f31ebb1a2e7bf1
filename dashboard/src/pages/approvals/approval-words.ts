import type { ApprovalRequest, Event, Workflow, WorkflowRun, WorkflowStep } from 'tenure';
import type { Tone } from '@tenure/ui';
import { nounOfId, recordOfEvent, recordOfId, type RecordPath } from '../../office/people-and-home.tsx';

/** What each status means for the reader. */
const states: Readonly<Record<string, { name: string; tone: Tone }>> = {
  pending: { name: 'Waiting', tone: 'warning' },
  approved: { name: 'Approved', tone: 'good' },
  executed: { name: 'Done', tone: 'good' },
  rejected: { name: 'Rejected', tone: 'bad' },
  canceled: { name: 'Taken back', tone: 'neutral' },
  expired: { name: 'Expired', tone: 'neutral' },
};

/** The statuses as choices of a filter. */
export const stateChoices = Object.entries(states).map(([id, { name }]) => ({ id, name }));

/** Returns the status in words. */
export function stateOf({ status }: Pick<ApprovalRequest, 'status'>): { name: string; tone: Tone } {
  return states[status] ?? { name: status, tone: 'neutral' };
}

/** Returns the id of the record that the request acts on, and the path of that record. Null if the request makes one. */
export function recordOf({ path }: Pick<ApprovalRequest, 'path'>): { id: string; path: string } | null {
  const [found, id] = /^\/v1\/[a-z_]+\/([a-z]+_[0-9A-Za-z]+)(?=\/|$)/.exec(path ?? '') ?? [];
  return found === undefined || id === undefined ? null : { id, path: found };
}

/** Returns the workflow whose step asks, with its run. Null for a request of an agent, and if the person may not read it. */
export function askingOf({ workflow_run: run }: Pick<ApprovalRequest, 'workflow_run'>): Asking | null {
  if (run === null || typeof run === 'string' || typeof run.workflow === 'string') return null;
  return { run, workflow: run.workflow };
}

interface Asking {
  run: WorkflowRun;
  workflow: Workflow;
}

/** Returns the steps that follow an approval. Null if the workflow was changed since the run began, or if no step waits. */
export function stepsAfter({ run, workflow }: Asking): readonly WorkflowStep[] | null {
  const waiting = run.steps.find(({ status }) => status === 'waiting');
  const at = workflow.steps.findIndex(({ id }) => id === waiting?.id);
  return at === -1 || run.version !== workflow.version ? null : workflow.steps.slice(at + 1);
}

/** A member of a record that an update would change. */
export interface MemberChange {
  member: string;
  /** Both values as JSON. Null for objects and lists, because an update can merge them. */
  values: { from: string; to: string } | null;
}

/** Returns what an update would change in its record. */
export function changesOf(
  { path, request_body: body }: Pick<ApprovalRequest, 'path' | 'request_body'>,
  record: { path: string; data: object },
): MemberChange[] {
  if (path !== record.path || body === null) return [];
  const now = record.data as Record<string, unknown>;
  return Object.entries(body).flatMap(([member, value]): MemberChange[] => {
    const from = JSON.stringify(now[member] ?? null);
    const to = JSON.stringify(value);
    if (from === to) return [];
    const isSimple = [value, now[member]].every((each) => typeof each !== 'object' || each === null);
    return [{ member, values: isSimple ? { from, to } : null }];
  });
}

/** Returns the record that a request is about, or null. A question of a workflow is about the record that its title names. */
export function subjectOf(request: ApprovalRequest, event: Event | undefined): RecordPath | null {
  const named = withIds(request.title).map(({ text, isId }) => (isId ? recordOfId(text) : null));
  const made = ['application', 'tenancy', 'deposit', 'unit', 'customer'].map((member) => {
    const id = request.request_body?.[member];
    return typeof id === 'string' ? recordOfId(id) : null;
  });
  const found = [recordOf(request), ...made, ...named].find((each) => each !== null);
  return found ?? (event === undefined ? null : recordOfEvent(event));
}

/** Returns the title with the kinds of records in the place of their ids: "Approve the application?" */
export function titleInWords(title: string): string {
  return withIds(title)
    .map(({ text, isId }) => (isId ? nounOfId(text) : text))
    .join('');
}

/** Returns what follows from a decision, in sentences. */
export function consequenceOf({ type }: Pick<ApprovalRequest, 'type'>, decision: 'approve' | 'reject'): string {
  if (type === 'workflow_step')
    return decision === 'approve'
      ? 'The workflow continues at once. Your name stays with the decision.'
      : 'The step fails, and the run ends with it, unless the workflow goes on after this step.';
  return decision === 'approve'
    ? 'The agent can send exactly this request within an hour, once. Your name stays with it.'
    : 'Nothing is changed. For an hour, the same request is refused with your reason.';
}

/** Returns where the reason of a decision goes. */
export function reasonHintOf({ type }: Pick<ApprovalRequest, 'type'>, decision: 'approve' | 'reject'): string {
  return decision === 'reject' && type === 'agent_request'
    ? 'The agent gets it, and it stays with the decision.'
    : 'It stays with the decision.';
}

/** Splits a text at the ids in it, so that each can lead to its record. The parts are numbered. */
export function withIds(text: string): { number: number; text: string; isId: boolean }[] {
  return text
    .split(/(\b[a-z]+_[0-9A-Za-z]{22}\b)/)
    .map((part, at) => ({ number: at, text: part, isId: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}
