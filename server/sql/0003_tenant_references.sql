create table tenant_references (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  application text collate "C",
  automatic_reference text,
  completed_at bigint,
  customer text collate "C",
  outcome text collate "C",
  reference_pdf text collate "C",
  status text collate "C" not null,
  type text collate "C" not null,
  metadata text not null,
  primary key (account_id, id),
  constraint tenant_references_type_known check (type = 'customer'),
  constraint tenant_references_application_given check (type <> 'customer' or application is not null),
  constraint tenant_references_status_known check (status in ('pending', 'processing', 'complete', 'canceled')),
  constraint tenant_references_outcome_known check (outcome in ('accept', 'consider', 'high_risk')),
  -- A complete reference has an outcome and the time it got it; no other has that time.
  constraint tenant_references_complete_has_time check ((status = 'complete') = (completed_at is not null)),
  constraint tenant_references_complete_has_outcome check (status <> 'complete' or outcome is not null),
  -- Nothing is decided about a person before somebody has started to look.
  constraint tenant_references_pending_has_no_outcome check (status <> 'pending' or outcome is null)
);

-- One for each filter of the list, in the list's own order.
create index tenant_references_application on tenant_references (account_id, application, id);
create index tenant_references_customer on tenant_references (account_id, customer, id) where customer is not null;
create index tenant_references_status on tenant_references (account_id, status, id);
create index tenant_references_outcome on tenant_references (account_id, outcome, id) where outcome is not null;
