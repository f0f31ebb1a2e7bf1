-- Workflows and their runs.

create table workflows (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  trigger text not null,
  steps text not null,
  permissions text[] collate "C" not null,
  api_version text collate "C" not null,
  version integer not null,
  status text collate "C" not null,
  paused_reason text,
  activated_at bigint,
  paused_at bigint,
  archived_at bigint,
  sealed_headers text not null,
  -- Events with smaller ids came before the activation.
  active_from text collate "C",
  signing_secret bytea not null,
  metadata text not null default '{}',
  primary key (account_id, id),
  constraint workflows_status check (status in ('draft', 'active', 'paused', 'archived')),
  constraint workflows_active check ((status = 'active') = (active_from is not null)),
  constraint workflows_paused check ((status = 'paused') = (paused_at is not null)),
  constraint workflows_archived check ((status = 'archived') = (archived_at is not null))
);

create index workflows_active_ones on workflows (account_id) where status = 'active';

create table workflow_runs (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  workflow text collate "C" not null,
  version integer not null,
  event text collate "C" not null,
  depth integer not null,
  status text collate "C" not null,
  steps text not null,
  approval_request text collate "C",
  canceled_reason text,
  succeeded_at bigint,
  failed_at bigint,
  canceled_at bigint,
  definition text not null,
  progress text not null,
  awaits text[] collate "C",
  primary key (account_id, id),
  constraint workflow_runs_status check (status in ('running', 'waiting', 'succeeded', 'failed', 'canceled')),
  constraint workflow_runs_succeeded check ((status = 'succeeded') = (succeeded_at is not null)),
  constraint workflow_runs_failed check ((status = 'failed') = (failed_at is not null)),
  constraint workflow_runs_canceled check ((status = 'canceled') = (canceled_at is not null)),
  constraint workflow_runs_awaits check (awaits is null or status = 'waiting'),
  constraint workflow_runs_asks check (approval_request is null or status = 'waiting')
);

-- An event starts at most one run of a workflow.
create unique index workflow_runs_once on workflow_runs (account_id, workflow, event);
create index workflow_runs_workflow on workflow_runs (account_id, workflow, id);
create index workflow_runs_event on workflow_runs (account_id, event, id);
create index workflow_runs_status on workflow_runs (account_id, status, id);
create index workflow_runs_awaiting on workflow_runs (account_id) where awaits is not null;
create index workflow_runs_due on workflow_runs (((progress::jsonb ->> 'due_at_ms')::bigint))
  where (progress::jsonb ->> 'due_at_ms') is not null and status in ('running', 'waiting');

-- The last event of an account that has started its runs. An account without active workflows and without runs that await an event has none.
create table workflow_positions (
  account_id text collate "C" primary key,
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null
);

-- E-mails of workflows have no link.
alter table emails
  drop constraint emails_emptied,
  add constraint emails_emptied check (
    (status in ('queued', 'kept')) = (content is not null)
    and ((content is not null) = (link is not null) or (kind = 'workflow' and link is null))
  );
