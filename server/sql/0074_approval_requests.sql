-- Questions to persons: may an agent do this, may a workflow continue?

create table approval_requests (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  type text collate "C" not null
    constraint approval_requests_type check (type in ('agent_request', 'workflow_step')),
  status text collate "C" not null
    constraint approval_requests_status
      check (status in ('pending', 'approved', 'executed', 'rejected', 'canceled', 'expired')),
  title text not null,
  workflow_run text collate "C",
  -- The key of the agent. It may belong to the parent account.
  api_key text collate "C",
  customer text collate "C",
  operation text collate "C",
  method text collate "C",
  path text collate "C",
  request_body text,
  reason text,
  expires_at bigint,
  decided_by text collate "C",
  decided_at bigint,
  decision_reason text,
  executed_request text collate "C",
  -- A hash of the request of the agent.
  fingerprint text collate "C",
  -- The party that approved, and the permission that it must still have when the request is executed.
  approver_account text collate "C",
  approver text collate "C",
  approver_permission text collate "C",
  primary key (account_id, id),
  constraint approval_requests_asked check ((type = 'workflow_step') = (fingerprint is null)),
  constraint approval_requests_agent check ((fingerprint is null) = (api_key is null)),
  constraint approval_requests_executed check ((status = 'executed') = (executed_request is not null)),
  constraint approval_requests_decided
    check ((status in ('pending', 'canceled')) <= (decided_at is null) and (status not in ('approved', 'executed', 'rejected') or decided_at is not null)),
  constraint approval_requests_approver
    check (status not in ('approved', 'executed') or approver is not null)
);

-- The same request of a key waits once, also if two processes receive it at the same moment.
create unique index approval_requests_open on approval_requests (account_id, api_key, fingerprint)
where status in ('pending', 'approved');

create index approval_requests_fingerprint on approval_requests (account_id, fingerprint, id) where fingerprint is not null;
create index approval_requests_status on approval_requests (account_id, status, id);
create index approval_requests_workflow_run on approval_requests (account_id, workflow_run, id)
where workflow_run is not null;
create index approval_requests_customer on approval_requests (account_id, customer, id) where customer is not null;
create index approval_requests_due on approval_requests (expires_at) where status in ('pending', 'approved');

-- Which requests of an agent wait for a person. Keys from before go on as they were.
alter table api_keys
  add column approvals text collate "C"
    constraint api_keys_approvals check (approvals in ('none', 'sensitive', 'all_writes'));

update api_keys set approvals = 'none' where type = 'agent';
