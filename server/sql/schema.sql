-- Generated from the migrations by `npm run schema`. Not run by anything.

create table account_move_changes (
  account_id text collate "C" not null,
  id bigint not null,
  relation text collate "C" not null,
  key text[] collate "C" not null,
  constraint account_move_changes_pkey PRIMARY KEY (account_id, id)
);

create table account_moves (
  account_id text collate "C" not null,
  root text collate "C" not null,
  move text collate "C" not null,
  state text collate "C" not null,
  cell text collate "C",
  target text collate "C",
  is_copied boolean not null default false,
  constraint account_moves_pkey PRIMARY KEY (account_id),
  constraint account_moves_state_known CHECK ((state = ANY (ARRAY['copying'::text, 'draining'::text, 'closed'::text, 'moved'::text, 'arriving'::text, 'arrived'::text])))
);

create table accounts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  api_version text,
  default_provider text,
  linked_records text not null,
  parent text collate "C",
  api_version_previous text collate "C",
  rollback_until bigint,
  provider_credentials text,
  require_second_factor boolean,
  time_zone text not null default 'Europe/London'::text,
  rules text not null default '{"ruleset":"england","checks":{}}'::text,
  invoice_prefix text collate "C" not null default 'INV'::text,
  letterhead text,
  payment_provider text collate "C",
  year_end text collate "C" not null default '03-31'::text,
  constraint accounts_pkey PRIMARY KEY (account_id, id),
  constraint accounts_linked_records_known CHECK ((linked_records = ANY (ARRAY['open'::text, 'strict'::text]))),
  constraint accounts_own_themselves CHECK ((account_id = id)),
  constraint accounts_roll_back_has_end CHECK (((api_version_previous IS NULL) = (rollback_until IS NULL)))
);

CREATE INDEX accounts_parent ON public.accounts USING btree (parent, id) WHERE (parent IS NOT NULL);

create table activity (
  account_id text collate "C" not null,
  start bigint not null,
  seconds integer not null,
  webhook_endpoint text collate "C" not null,
  requests_2xx bigint not null,
  requests_4xx bigint not null,
  requests_5xx bigint not null,
  events bigint not null,
  delivered bigint not null,
  failed bigint not null,
  constraint activity_pkey PRIMARY KEY (account_id, start, seconds, webhook_endpoint)
);

CREATE INDEX activity_age ON public.activity USING btree (seconds, start);

create table activity_deltas (
  account_id text collate "C" not null,
  webhook_endpoint text collate "C" not null default ''::text,
  start bigint not null,
  requests_2xx bigint not null default 0,
  requests_4xx bigint not null default 0,
  requests_5xx bigint not null default 0,
  events bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0
);

alter table activity_deltas replica identity full;

CREATE INDEX activity_deltas_account ON public.activity_deltas USING btree (account_id);

create table api_keys (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  hash text collate "C" not null,
  type text not null,
  name text,
  permissions text[] not null,
  last_four text not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  created_by text collate "C",
  approvals text collate "C",
  constraint api_keys_pkey PRIMARY KEY (account_id, id),
  constraint api_keys_approvals CHECK ((approvals = ANY (ARRAY['none'::text, 'sensitive'::text, 'all_writes'::text]))),
  constraint api_keys_type_known CHECK ((type = ANY (ARRAY['secret'::text, 'restricted'::text, 'agent'::text])))
);

CREATE UNIQUE INDEX api_keys_hash ON public.api_keys USING btree (hash);

create table applications (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customers text[] collate "C" not null,
  unit text collate "C",
  rent text,
  move_in_date text,
  reference_counts text not null,
  metadata text not null,
  status text collate "C" not null default 'open'::text,
  decision text,
  review text,
  guarantors text[] collate "C" not null default '{}'::text[],
  tenancy text collate "C",
  checks text not null default '[]'::text,
  approved_at bigint,
  rejected_at bigint,
  withdrawn_at bigint,
  converted_at bigint,
  guarantors_known text not null default '[]'::text,
  holding_deposits text[] collate "C" not null default '{}'::text[],
  refused_on date,
  constraint applications_pkey PRIMARY KEY (account_id, id),
  constraint applications_status_known CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'converted'::text])))
);

CREATE INDEX applications_customers ON public.applications USING gin (customers);
CREATE INDEX applications_status ON public.applications USING btree (account_id, status, id);
CREATE INDEX applications_tenancy ON public.applications USING btree (account_id, tenancy, id) WHERE (tenancy IS NOT NULL);
CREATE INDEX applications_unit ON public.applications USING btree (account_id, unit, id) WHERE (unit IS NOT NULL);

create table approval_requests (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  type text collate "C" not null,
  status text collate "C" not null,
  title text not null,
  workflow_run text collate "C",
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
  fingerprint text collate "C",
  approver_account text collate "C",
  approver text collate "C",
  approver_permission text collate "C",
  constraint approval_requests_pkey PRIMARY KEY (account_id, id),
  constraint approval_requests_agent CHECK (((fingerprint IS NULL) = (api_key IS NULL))),
  constraint approval_requests_approver CHECK (((status <> ALL (ARRAY['approved'::text, 'executed'::text])) OR (approver IS NOT NULL))),
  constraint approval_requests_asked CHECK (((type = 'workflow_step'::text) = (fingerprint IS NULL))),
  constraint approval_requests_decided CHECK ((((status = ANY (ARRAY['pending'::text, 'canceled'::text])) <= (decided_at IS NULL)) AND ((status <> ALL (ARRAY['approved'::text, 'executed'::text, 'rejected'::text])) OR (decided_at IS NOT NULL)))),
  constraint approval_requests_executed CHECK (((status = 'executed'::text) = (executed_request IS NOT NULL))),
  constraint approval_requests_status CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'executed'::text, 'rejected'::text, 'canceled'::text, 'expired'::text]))),
  constraint approval_requests_type CHECK ((type = ANY (ARRAY['agent_request'::text, 'workflow_step'::text])))
);

CREATE INDEX approval_requests_customer ON public.approval_requests USING btree (account_id, customer, id) WHERE (customer IS NOT NULL);
CREATE INDEX approval_requests_due ON public.approval_requests USING btree (expires_at) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX approval_requests_fingerprint ON public.approval_requests USING btree (account_id, fingerprint, id) WHERE (fingerprint IS NOT NULL);
CREATE UNIQUE INDEX approval_requests_open ON public.approval_requests USING btree (account_id, api_key, fingerprint) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX approval_requests_status ON public.approval_requests USING btree (account_id, status, id);
CREATE INDEX approval_requests_workflow_run ON public.approval_requests USING btree (account_id, workflow_run, id) WHERE (workflow_run IS NOT NULL);

create table bank_lines (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  import text collate "C" not null,
  line integer not null,
  received_on date not null,
  amount bigint not null,
  currency text collate "C" not null,
  reference text,
  payer_name text,
  status text collate "C" not null,
  tenancy text collate "C",
  customer text collate "C",
  matched_by text[] collate "C" not null,
  candidates text not null,
  payment text collate "C",
  confirmed_at bigint,
  ignored_at bigint,
  fingerprint text collate "C" not null,
  payer_key text collate "C",
  deleted_at bigint,
  history_erased_at bigint,
  constraint bank_lines_pkey PRIMARY KEY (account_id, id),
  constraint bank_lines_came_in CHECK ((amount > 0)),
  constraint bank_lines_paid_when_confirmed CHECK (((status = 'confirmed'::text) = (payment IS NOT NULL))),
  constraint bank_lines_proposed_for CHECK (((status <> ALL (ARRAY['proposed'::text, 'confirmed'::text])) OR (tenancy IS NOT NULL))),
  constraint bank_lines_status_known CHECK ((status = ANY (ARRAY['proposed'::text, 'unmatched'::text, 'confirmed'::text, 'ignored'::text])))
);

CREATE INDEX bank_lines_customer ON public.bank_lines USING btree (account_id, customer, id) WHERE (customer IS NOT NULL);
CREATE UNIQUE INDEX bank_lines_fingerprint ON public.bank_lines USING btree (account_id, fingerprint);
CREATE INDEX bank_lines_import ON public.bank_lines USING btree (account_id, import, id);
CREATE INDEX bank_lines_payer ON public.bank_lines USING btree (account_id, payer_key, id) WHERE (status = 'confirmed'::text);
CREATE INDEX bank_lines_received_on ON public.bank_lines USING btree (account_id, received_on, id);
CREATE INDEX bank_lines_status ON public.bank_lines USING btree (account_id, status, id);
CREATE INDEX bank_lines_tenancy ON public.bank_lines USING btree (account_id, tenancy, id) WHERE (tenancy IS NOT NULL);
CREATE INDEX bank_lines_to_erase ON public.bank_lines USING btree (deleted_at, id) WHERE ((deleted_at IS NOT NULL) AND (history_erased_at IS NULL));

create table buildings (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  address text not null,
  jurisdiction text collate "C",
  archived boolean not null,
  unit_count integer not null,
  metadata text not null,
  constraint buildings_pkey PRIMARY KEY (account_id, id),
  constraint buildings_units_counted CHECK ((unit_count >= 0))
);

CREATE INDEX buildings_archived ON public.buildings USING btree (account_id, archived, id);

create table count_deltas (
  account_id text collate "C" not null,
  object text collate "C" not null,
  dimension text collate "C" not null,
  value text collate "C" not null,
  delta bigint not null
);

alter table count_deltas replica identity full;

CREATE INDEX count_deltas_value ON public.count_deltas USING btree (account_id, object, dimension, value) INCLUDE (delta);

create table counters (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  last bigint not null,
  constraint counters_pkey PRIMARY KEY (account_id, id)
);

create table customers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  email text collate "C",
  phone text,
  date_of_birth text,
  addresses text not null,
  metadata text not null,
  deleted_at bigint,
  history_erased_at bigint,
  right_to_rent text,
  live_tenancies text[] collate "C" not null default '{}'::text[],
  tenancies text[] collate "C" not null default '{}'::text[],
  applications text[] collate "C" not null default '{}'::text[],
  deposits text[] collate "C" not null default '{}'::text[],
  guarantees text[] collate "C" not null default '{}'::text[],
  erased_files text[] collate "C" not null default '{}'::text[],
  checks text[] collate "C" not null default '{}'::text[],
  constraint customers_pkey PRIMARY KEY (account_id, id),
  constraint customers_deleted_are_empty CHECK (((deleted_at IS NULL) OR ((name = '[erased]'::text) AND (email IS NULL) AND (phone IS NULL) AND (date_of_birth IS NULL) AND (addresses = '[]'::text) AND (metadata = '{}'::text))))
);

CREATE INDEX customers_email_caseless ON public.customers USING btree (account_id, lower(email), id) WHERE (email IS NOT NULL);
CREATE INDEX customers_right_to_rent ON public.customers USING btree (account_id, id) WHERE (right_to_rent IS NOT NULL);
CREATE INDEX customers_to_erase ON public.customers USING btree (id) WHERE ((deleted_at IS NOT NULL) AND (history_erased_at IS NULL));

create table deployment (
  id boolean not null default true,
  master_key_check bytea not null,
  event_epoch integer not null default 1,
  latest_api_version text collate "C" not null,
  clock_ahead_ms bigint not null default 0,
  mode text collate "C",
  constraint deployment_pkey PRIMARY KEY (id),
  constraint deployment_id_check CHECK (id),
  constraint deployment_mode_known CHECK ((mode = ANY (ARRAY['sandbox'::text, 'live'::text])))
);

create table deposits (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  type text collate "C" not null,
  application text collate "C",
  tenancy text collate "C",
  unit text collate "C" not null,
  amount bigint not null,
  currency text collate "C" not null,
  payer text collate "C",
  amount_received bigint not null,
  amount_applied bigint not null,
  amount_deducted bigint not null,
  amount_returned bigint not null,
  received_on date,
  decide_by date,
  repay_by date,
  protect_by date,
  scheme text collate "C",
  scheme_reference text,
  protected_on date,
  certificate text collate "C",
  information_given_on date,
  file text collate "C",
  applied_to text not null,
  deductions text not null,
  retention text,
  dispute text,
  returned_on date,
  checks text not null,
  status text collate "C" not null,
  received_at bigint,
  applied_at bigint,
  retained_at bigint,
  returned_at bigint,
  protected_at bigint,
  information_given_at bigint,
  release_proposed_at bigint,
  disputed_at bigint,
  released_at bigint,
  canceled_at bigint,
  receipts text not null,
  signed_on date,
  refused_on date,
  retained_on date,
  return_by date,
  settled_on date,
  judged_on date,
  next_on date,
  metadata text not null,
  constraint deposits_pkey PRIMARY KEY (account_id, id),
  constraint deposits_link_by_type CHECK ((((type = 'holding'::text) = (application IS NOT NULL)) AND ((type = 'tenancy'::text) = (tenancy IS NOT NULL)))),
  constraint deposits_received_in_full CHECK (((status <> 'received'::text) OR (amount_received = amount))),
  constraint deposits_settled_hold_nothing CHECK (((status <> ALL (ARRAY['settled'::text, 'canceled'::text])) OR (((amount_applied + amount_deducted) + amount_returned) = amount_received))),
  constraint deposits_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'received'::text, 'protected'::text, 'releasing'::text, 'disputed'::text, 'settled'::text, 'canceled'::text]))),
  constraint deposits_type_known CHECK ((type = ANY (ARRAY['holding'::text, 'tenancy'::text]))),
  constraint deposits_within CHECK (((amount_applied >= 0) AND (amount_deducted >= 0) AND (amount_returned >= 0) AND (((amount_applied + amount_deducted) + amount_returned) <= amount_received) AND (amount_received <= amount)))
);

CREATE INDEX deposits_application ON public.deposits USING btree (account_id, application, id) WHERE (application IS NOT NULL);
CREATE INDEX deposits_certificate ON public.deposits USING btree (account_id, certificate) WHERE (certificate IS NOT NULL);
CREATE INDEX deposits_decide_by ON public.deposits USING btree (account_id, decide_by, id);
CREATE INDEX deposits_file ON public.deposits USING btree (account_id, file) WHERE (file IS NOT NULL);
CREATE INDEX deposits_next_on ON public.deposits USING btree (next_on, account_id, id) WHERE (next_on IS NOT NULL);
CREATE INDEX deposits_payer ON public.deposits USING btree (account_id, payer, id) WHERE (payer IS NOT NULL);
CREATE INDEX deposits_protect_by ON public.deposits USING btree (account_id, protect_by, id);
CREATE INDEX deposits_status ON public.deposits USING btree (account_id, status, id);
CREATE INDEX deposits_tenancy ON public.deposits USING btree (account_id, tenancy, id) WHERE (tenancy IS NOT NULL);
CREATE INDEX deposits_type ON public.deposits USING btree (account_id, type, id);
CREATE INDEX deposits_unit ON public.deposits USING btree (account_id, unit, id);

create table device_logins (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  device_code_hash text collate "C" not null,
  user_code_hash text collate "C" not null,
  machine text not null,
  ip_address text,
  expires_at bigint not null,
  decision text,
  decided_by text collate "C",
  key_account_id text collate "C",
  key_id text collate "C",
  secret bytea,
  constraint device_logins_pkey PRIMARY KEY (account_id, id),
  constraint device_logins_decision_known CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text])))
);

CREATE UNIQUE INDEX device_logins_by_device_code ON public.device_logins USING btree (device_code_hash);
CREATE UNIQUE INDEX device_logins_by_user_code ON public.device_logins USING btree (user_code_hash);

create table emails (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  kind text collate "C" not null,
  about text collate "C" not null,
  mentions text[] collate "C" not null,
  audience text collate "C" not null,
  recipient text collate "C" not null,
  expires_at bigint not null,
  content bytea,
  link bytea,
  status text collate "C" not null,
  sending text,
  failure text,
  ended_at bigint,
  constraint emails_pkey PRIMARY KEY (account_id, id),
  constraint emails_emptied CHECK ((((status = ANY (ARRAY['queued'::text, 'kept'::text])) = (content IS NOT NULL)) AND (((content IS NOT NULL) = (link IS NOT NULL)) OR ((kind = 'workflow'::text) AND (link IS NULL))))),
  constraint emails_ended CHECK (((status = 'queued'::text) = (ended_at IS NULL))),
  constraint emails_queued CHECK (((status = 'queued'::text) = (sending IS NOT NULL))),
  constraint emails_status CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'kept'::text])))
);

CREATE INDEX emails_due ON public.emails USING btree (((((sending)::jsonb ->> 'due_at_ms'::text))::bigint)) WHERE (sending IS NOT NULL);
CREATE INDEX emails_ended_at ON public.emails USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX emails_mentions ON public.emails USING gin (mentions);

create table events (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  type text collate "C" not null,
  object_id text collate "C" not null,
  mentions text[] collate "C" not null,
  data text not null,
  request text not null,
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null,
  shape_version text collate "C" not null default '2026-11-01'::text,
  actor_type text collate "C",
  actor_id text collate "C",
  constraint events_pkey PRIMARY KEY (account_id, id)
) partition by range (id);

CREATE INDEX events_actor ON ONLY public.events USING btree (account_id, actor_id, id) WHERE (actor_id IS NOT NULL);
CREATE INDEX events_actor_type ON ONLY public.events USING btree (account_id, actor_type, id) WHERE (actor_type IS NOT NULL);
CREATE INDEX events_in_order ON ONLY public.events USING btree (account_id, epoch, transaction_id, ordinal);
CREATE INDEX events_mentions ON ONLY public.events USING gin (mentions) WITH (gin_pending_list_limit='256');
CREATE INDEX events_object ON ONLY public.events USING btree (account_id, object_id, id);
CREATE INDEX events_type ON ONLY public.events USING btree (account_id, type, id);

create table file_links (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  file text collate "C" not null,
  recipient text,
  token_hash text collate "C" not null,
  expires_at bigint not null,
  opened_at bigint,
  open_count integer not null,
  revoked_at bigint,
  recipient_email text,
  email_status text collate "C",
  email_failure text,
  constraint file_links_pkey PRIMARY KEY (account_id, id),
  constraint file_links_opens_count CHECK (((open_count > 0) = (opened_at IS NOT NULL)))
);

CREATE INDEX file_links_file ON public.file_links USING btree (account_id, file, id);
CREATE UNIQUE INDEX file_links_token ON public.file_links USING btree (token_hash);

create table file_parts (
  account_id text collate "C" not null,
  file text collate "C" not null,
  ordinal integer not null,
  bytes bytea not null,
  constraint file_parts_pkey PRIMARY KEY (account_id, file, ordinal)
);

create table file_uploads (
  account_id text collate "C" not null,
  file text collate "C" not null,
  started_at_ms bigint not null,
  constraint file_uploads_pkey PRIMARY KEY (account_id, file)
);

CREATE INDEX file_uploads_started ON public.file_uploads USING btree (started_at_ms);

create table files (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  purpose text collate "C" not null,
  filename text not null,
  size integer not null,
  sha256 text collate "C" not null,
  content_type text not null,
  metadata text not null,
  customer text collate "C",
  reference text collate "C",
  constraint files_pkey PRIMARY KEY (account_id, id),
  constraint files_hash_whole CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint files_size_bounded CHECK (((size >= 1) AND (size <= 10485760)))
);

CREATE INDEX files_customer ON public.files USING btree (account_id, customer, id) WHERE (customer IS NOT NULL);
CREATE INDEX files_purpose ON public.files USING btree (account_id, purpose, id);
CREATE INDEX files_reference ON public.files USING btree (account_id, reference, id) WHERE (reference IS NOT NULL);

create table guarantors (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  application text collate "C" not null,
  customer text collate "C" not null,
  guarantees text[] collate "C",
  limit text,
  file text collate "C",
  reference text collate "C",
  tenancy text collate "C",
  status text collate "C" not null,
  agreed_on date,
  released_on date,
  agreed_at bigint,
  declined_at bigint,
  released_at bigint,
  metadata text not null,
  constraint guarantors_pkey PRIMARY KEY (account_id, id),
  constraint guarantors_status_known CHECK ((status = ANY (ARRAY['proposed'::text, 'agreed'::text, 'declined'::text, 'released'::text])))
);

CREATE INDEX guarantors_application ON public.guarantors USING btree (account_id, application, id);
CREATE INDEX guarantors_customer ON public.guarantors USING btree (account_id, customer, id);
CREATE INDEX guarantors_file ON public.guarantors USING btree (account_id, file) WHERE (file IS NOT NULL);
CREATE INDEX guarantors_status ON public.guarantors USING btree (account_id, status, id);
CREATE INDEX guarantors_tenancy ON public.guarantors USING btree (account_id, tenancy, id) WHERE (tenancy IS NOT NULL);

create table idempotency_keys (
  account_id text collate "C" not null,
  key_account_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  request_id text collate "C" not null,
  claimed_at_ms bigint not null,
  sealed_body bytea,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, key_account_id, key)
);

CREATE INDEX idempotency_keys_claimed_at ON public.idempotency_keys USING btree (claimed_at_ms);

create table invitations (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  email text not null,
  role text not null,
  invited_by text collate "C",
  token_hash text collate "C" not null,
  expires_at bigint not null,
  accepted_at bigint,
  revoked_at bigint,
  email_status text collate "C",
  email_failure text,
  constraint invitations_pkey PRIMARY KEY (account_id, id),
  constraint invitations_role_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'operator'::text, 'viewer'::text])))
);

CREATE INDEX invitations_by_address ON public.invitations USING btree (lower((email COLLATE "C")));
CREATE INDEX invitations_by_email ON public.invitations USING btree (account_id, lower((email COLLATE "C")));
CREATE UNIQUE INDEX invitations_by_token ON public.invitations USING btree (token_hash);

create table invoices (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C" not null,
  lines text not null,
  due_on date not null,
  subscription text collate "C",
  period text,
  customers text[] collate "C" not null,
  number text collate "C",
  currency text collate "C" not null,
  total bigint not null,
  amount_paid bigint not null,
  amount_credited bigint not null,
  credits text not null,
  overdue boolean not null,
  void_reason text,
  status text collate "C" not null,
  finalized_at bigint,
  paid_at bigint,
  voided_at bigint,
  marked_uncollectible_at bigint,
  paying text[] collate "C" not null,
  moved_on date,
  next_on date,
  metadata text not null,
  period_start date,
  charge text,
  constraint invoices_pkey PRIMARY KEY (account_id, id),
  constraint invoices_numbered CHECK (((number IS NULL) = (status = 'draft'::text))),
  constraint invoices_paid_when_settled CHECK (((status = 'paid'::text) = ((status <> 'void'::text) AND (number IS NOT NULL) AND ((amount_paid + amount_credited) = total)))),
  constraint invoices_settled_within CHECK (((amount_paid >= 0) AND (amount_credited >= 0) AND ((amount_paid + amount_credited) <= total))),
  constraint invoices_status_known CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'void'::text, 'uncollectible'::text])))
);

CREATE INDEX invoices_customers ON public.invoices USING gin (customers);
CREATE INDEX invoices_due_on ON public.invoices USING btree (account_id, due_on, id);
CREATE INDEX invoices_next_on ON public.invoices USING btree (next_on, account_id, id) WHERE (next_on IS NOT NULL);
CREATE UNIQUE INDEX invoices_number ON public.invoices USING btree (account_id, number) WHERE (number IS NOT NULL);
CREATE UNIQUE INDEX invoices_once_a_period ON public.invoices USING btree (account_id, subscription, period_start) WHERE (subscription IS NOT NULL);
CREATE INDEX invoices_overdue ON public.invoices USING btree (account_id, overdue, id);
CREATE INDEX invoices_status ON public.invoices USING btree (account_id, status, id);
CREATE INDEX invoices_subscription ON public.invoices USING btree (account_id, subscription, id) WHERE (subscription IS NOT NULL);
CREATE INDEX invoices_tenancy ON public.invoices USING btree (account_id, tenancy, id);

create table ledger_entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C" not null,
  sequence integer not null,
  date date not null,
  type text collate "C" not null,
  amount bigint not null,
  balance bigint not null,
  invoice text collate "C",
  payment text collate "C",
  constraint ledger_entries_pkey PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX ledger_entries_sequence ON public.ledger_entries USING btree (account_id, tenancy, sequence);
CREATE INDEX ledger_entries_tenancy ON public.ledger_entries USING btree (account_id, tenancy, id);

create table one_time_links (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  purpose text not null,
  user_id text collate "C",
  token_hash text collate "C" not null,
  expires_at bigint not null,
  used_at bigint,
  made_by text collate "C",
  credentials_revision bigint,
  constraint one_time_links_pkey PRIMARY KEY (account_id, id),
  constraint one_time_links_purpose_known CHECK ((purpose = ANY (ARRAY['first_owner'::text, 'password_reset'::text, 'sign_in'::text])))
);

CREATE UNIQUE INDEX one_time_links_by_token ON public.one_time_links USING btree (token_hash);

create table payment_imports (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  filename text not null,
  sha256 text collate "C" not null,
  format text collate "C" not null,
  status text collate "C" not null,
  lines_new integer not null,
  lines_known integer not null,
  lines_skipped integer not null,
  known_lines text not null,
  lines text not null,
  constraint payment_imports_pkey PRIMARY KEY (account_id, id),
  constraint payment_imports_status_known CHECK ((status = ANY (ARRAY['open'::text, 'complete'::text])))
);

create table payments (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C",
  amount bigint not null,
  currency text collate "C" not null,
  method text collate "C" not null,
  status text collate "C" not null,
  received_on date,
  customer text collate "C",
  reference text,
  allocations text not null,
  amount_allocated bigint not null,
  amount_refunded bigint not null,
  refunds text not null,
  failure text,
  succeeded_at bigint,
  failed_at bigint,
  canceled_at bigint,
  refunded_at bigint,
  settled_invoices text[] collate "C" not null,
  moved_on date,
  metadata text not null,
  bank_line text collate "C",
  provider text collate "C",
  cancel_requested_at bigint,
  gateway_order text,
  deposit text collate "C",
  constraint payments_pkey PRIMARY KEY (account_id, id),
  constraint payments_for_one CHECK ((num_nonnulls(tenancy, deposit) = 1)),
  constraint payments_ordered CHECK (((provider IS NULL) = (gateway_order IS NULL))),
  constraint payments_received CHECK (((received_on IS NOT NULL) OR (status = ANY (ARRAY['pending'::text, 'failed'::text, 'canceled'::text])))),
  constraint payments_settle_within CHECK (((amount_allocated >= 0) AND (amount_refunded >= 0) AND ((amount_allocated + amount_refunded) <= amount))),
  constraint payments_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text, 'refunded'::text])))
);

CREATE UNIQUE INDEX payments_bank_line ON public.payments USING btree (account_id, bank_line) WHERE (bank_line IS NOT NULL);
CREATE INDEX payments_customer ON public.payments USING btree (account_id, customer, id) WHERE (customer IS NOT NULL);
CREATE INDEX payments_deposit ON public.payments USING btree (account_id, deposit, id) WHERE (deposit IS NOT NULL);
CREATE INDEX payments_method ON public.payments USING btree (account_id, method, id);
CREATE INDEX payments_next_step ON public.payments USING btree (((((gateway_order)::jsonb ->> 'due_at_ms'::text))::bigint)) WHERE (gateway_order IS NOT NULL);
CREATE INDEX payments_received_on ON public.payments USING btree (account_id, received_on, id);
CREATE INDEX payments_reference ON public.payments USING btree (account_id, lower(regexp_replace((reference COLLATE "C"), '[[:space:][:punct:]]+'::text, ''::text, 'g'::text)), id) WHERE (reference IS NOT NULL);
CREATE INDEX payments_status ON public.payments USING btree (account_id, status, id);
CREATE INDEX payments_tenancy ON public.payments USING btree (account_id, tenancy, id);

create table portal_sessions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customer text collate "C" not null,
  features text[] collate "C" not null,
  return_url text,
  metadata text not null default '{}'::text,
  email_status text collate "C",
  email_failure text,
  link_hash text collate "C" not null,
  expires_at bigint not null,
  session_hash text collate "C",
  opened_at bigint,
  last_used_at bigint,
  ended_at bigint,
  sent_to text,
  constraint portal_sessions_pkey PRIMARY KEY (account_id, id),
  constraint portal_sessions_opened CHECK (((opened_at IS NOT NULL) = (session_hash IS NOT NULL)))
);

CREATE INDEX portal_sessions_customer ON public.portal_sessions USING btree (account_id, customer, id);
CREATE UNIQUE INDEX portal_sessions_link ON public.portal_sessions USING btree (link_hash);
CREATE UNIQUE INDEX portal_sessions_token ON public.portal_sessions USING btree (session_hash) WHERE (session_hash IS NOT NULL);

create table recoveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  webhook_endpoint text collate "C" not null,
  since bigint not null,
  status text not null,
  resent bigint not null,
  completed_at bigint,
  position text collate "C" not null,
  constraint recoveries_pkey PRIMARY KEY (account_id, id),
  constraint recoveries_end_has_a_time CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
  constraint recoveries_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'canceled'::text])))
);

CREATE INDEX recoveries_endpoint ON public.recoveries USING btree (account_id, webhook_endpoint, id);
CREATE INDEX recoveries_pending ON public.recoveries USING btree (webhook_endpoint, id) WHERE (status = 'pending'::text);

create table request_logs (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  method text not null,
  url text not null,
  path text collate "C" not null,
  status smallint not null,
  duration_ms integer not null,
  ip_address text,
  user_agent text,
  user_email text,
  key_id text collate "C",
  key_type text,
  source text not null,
  api_version text not null,
  idempotency_key text collate "C",
  original_request text collate "C",
  replayed boolean not null,
  request_body text,
  response_body text,
  error text,
  events text[] collate "C" not null,
  mentions text[] collate "C" not null,
  also_mentions text[] collate "C" not null default '{}'::text[],
  user_id text collate "C",
  error_code text collate "C",
  portal_session text collate "C",
  constraint request_logs_pkey PRIMARY KEY (account_id, id),
  constraint request_logs_source_known CHECK ((source = ANY (ARRAY['api'::text, 'dashboard'::text, 'portal'::text])))
) partition by range (id);

CREATE INDEX request_logs_also_mentions ON ONLY public.request_logs USING gin (also_mentions) WHERE (also_mentions <> '{}'::text[]);
CREATE INDEX request_logs_error_code ON ONLY public.request_logs USING btree (account_id, error_code, id) WHERE (error_code IS NOT NULL);
CREATE INDEX request_logs_idempotency_key ON ONLY public.request_logs USING btree (account_id, idempotency_key, id) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX request_logs_key ON ONLY public.request_logs USING btree (account_id, key_id, id);
CREATE INDEX request_logs_original ON ONLY public.request_logs USING btree (account_id, original_request) WHERE (original_request IS NOT NULL);
CREATE INDEX request_logs_path ON ONLY public.request_logs USING btree (account_id, path, id);
CREATE INDEX request_logs_portal_session ON ONLY public.request_logs USING btree (account_id, portal_session, id) WHERE (portal_session IS NOT NULL);
CREATE INDEX request_logs_status ON ONLY public.request_logs USING btree (account_id, status, id);
CREATE INDEX request_logs_user ON ONLY public.request_logs USING btree (account_id, user_id, id) WHERE (user_id IS NOT NULL);

create table retention_hold_parts (
  account_id text collate "C" not null,
  hold text collate "C" not null,
  file text collate "C" not null,
  ordinal integer not null,
  bytes bytea not null,
  constraint retention_hold_parts_pkey PRIMARY KEY (account_id, hold, file, ordinal)
);

create table retention_holds (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customer text collate "C" not null,
  kind text collate "C" not null,
  basis text not null,
  files text[] collate "C" not null,
  until date not null,
  status text collate "C" not null,
  reveals integer not null,
  revealed_at bigint,
  expired_at bigint,
  revealed_to text collate "C",
  sealed bytea,
  file_key bytea,
  next_on date,
  constraint retention_holds_pkey PRIMARY KEY (account_id, id),
  constraint retention_holds_expired_are_empty CHECK (((status <> 'expired'::text) OR ((sealed IS NULL) AND (file_key IS NULL) AND (expired_at IS NOT NULL)))),
  constraint retention_holds_held_are_full CHECK (((status = 'held'::text) = ((sealed IS NOT NULL) AND (file_key IS NOT NULL) AND (expired_at IS NULL)))),
  constraint retention_holds_kind_known CHECK ((kind = ANY (ARRAY['right_to_rent'::text, 'accounts'::text]))),
  constraint retention_holds_status_known CHECK ((status = ANY (ARRAY['held'::text, 'expired'::text])))
);

CREATE INDEX retention_holds_customer ON public.retention_holds USING btree (account_id, customer, id);
CREATE INDEX retention_holds_files ON public.retention_holds USING gin (files) WHERE (status = 'held'::text);
CREATE INDEX retention_holds_kind ON public.retention_holds USING btree (account_id, kind, id);
CREATE INDEX retention_holds_next_on ON public.retention_holds USING btree (next_on, account_id, id) WHERE (next_on IS NOT NULL);
CREATE INDEX retention_holds_status ON public.retention_holds USING btree (account_id, status, id);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table search_entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  words text collate "C" not null,
  starts text collate "C" not null,
  parts integer[] not null,
  constraint search_entries_pkey PRIMARY KEY (account_id, id)
);

CREATE INDEX search_entries_parts ON public.search_entries USING gin (parts) WITH (gin_pending_list_limit='512');

create table search_positions (
  account_id text collate "C" not null,
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null,
  built_until text collate "C",
  constraint search_positions_pkey PRIMARY KEY (account_id)
);

create table sessions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  user_id text collate "C" not null,
  token_hash text collate "C" not null,
  role text not null,
  credentials_revision bigint not null,
  factors text[] not null,
  confirmed_at bigint,
  expires_at bigint not null,
  last_seen_at bigint,
  ip_address text,
  user_agent text,
  constraint sessions_pkey PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX sessions_by_token ON public.sessions USING btree (token_hash);
CREATE INDEX sessions_by_user ON public.sessions USING btree (account_id, user_id, id);

create table sign_in_attempts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  failures integer not null,
  since bigint not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (account_id, id)
);

create table simulated_charges (
  gateway text collate "C" not null,
  key text collate "C" not null,
  charge_id text collate "C" not null,
  amount bigint not null,
  currency text collate "C" not null,
  working_day_ms bigint not null,
  course jsonb not null,
  refunds jsonb not null default '[]'::jsonb,
  callback_url text,
  callback_secret bytea,
  tell_at_ms bigint,
  tell_attempts bigint not null default 0,
  changes bigint not null default 0,
  constraint simulated_charges_gateway_charge_id_key UNIQUE (gateway, charge_id),
  constraint simulated_charges_pkey PRIMARY KEY (gateway, key)
);

CREATE UNIQUE INDEX simulated_charges_gateway_charge_id_key ON public.simulated_charges USING btree (gateway, charge_id);
CREATE INDEX simulated_charges_to_tell ON public.simulated_charges USING btree (tell_at_ms) WHERE (tell_at_ms IS NOT NULL);

create table simulated_orders (
  provider text collate "C" not null,
  reference text collate "C" not null,
  order_id text collate "C" not null,
  script text not null,
  has_guarantor boolean not null,
  rent jsonb,
  working_day_ms bigint not null,
  placed_at_ms bigint,
  canceled_at_ms bigint,
  calls bigint not null,
  forced jsonb not null,
  callback_url text,
  callback_secret bytea,
  reported_steps bigint not null default 0,
  tell_at_ms bigint,
  tell_attempts bigint not null default 0,
  claimed_until_ms bigint not null default 0,
  changes bigint not null default 0,
  disclosed jsonb not null default '[]'::jsonb,
  contact text,
  constraint simulated_orders_provider_order_id_key UNIQUE (provider, order_id),
  constraint simulated_orders_pkey PRIMARY KEY (provider, reference)
);

CREATE UNIQUE INDEX simulated_orders_provider_order_id_key ON public.simulated_orders USING btree (provider, order_id);
CREATE INDEX simulated_orders_to_tell ON public.simulated_orders USING btree (tell_at_ms) WHERE (tell_at_ms IS NOT NULL);

create table subscriptions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C" not null,
  type text collate "C" not null,
  line_type text collate "C" not null,
  description text,
  amount bigint not null,
  currency text collate "C" not null,
  interval text collate "C" not null,
  interval_count integer not null,
  start_date date not null,
  end_date date,
  anchor_day integer not null,
  due_after integer not null,
  invoice_before integer not null,
  scheduled_change text,
  resume_on date,
  next_period_start date,
  next_invoice_on date,
  status text collate "C" not null,
  activated_at bigint,
  paused_at bigint,
  ended_at bigint,
  next_on date,
  metadata text not null,
  constraint subscriptions_pkey PRIMARY KEY (account_id, id),
  constraint subscriptions_status_known CHECK ((status = ANY (ARRAY['scheduled'::text, 'active'::text, 'paused'::text, 'ended'::text]))),
  constraint subscriptions_type_known CHECK ((type = ANY (ARRAY['rent'::text, 'service'::text])))
);

CREATE INDEX subscriptions_next_on ON public.subscriptions USING btree (next_on, account_id, id) WHERE (next_on IS NOT NULL);
CREATE UNIQUE INDEX subscriptions_one_rent ON public.subscriptions USING btree (account_id, tenancy) WHERE ((type = 'rent'::text) AND (status <> 'ended'::text) AND (end_date IS NULL));
CREATE INDEX subscriptions_status ON public.subscriptions USING btree (account_id, status, id);
CREATE INDEX subscriptions_tenancy ON public.subscriptions USING btree (account_id, tenancy, id);

create table tenancies (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  unit text collate "C" not null,
  customers text[] collate "C" not null,
  start_date date not null,
  end_date date,
  rent text not null,
  type text collate "C" not null,
  application text collate "C",
  replaces text collate "C",
  agreement text collate "C",
  statement_given_on date,
  guarantors text[] collate "C" not null,
  deposit text collate "C",
  jurisdiction text collate "C",
  notice text,
  end_reason text collate "C",
  cancel_reason text,
  balance bigint not null,
  arrears text not null,
  pet_requests text not null,
  signed_on date,
  checks text not null,
  status text collate "C" not null,
  signed_at bigint,
  activated_at bigint,
  notice_given_at bigint,
  ended_at bigint,
  canceled_at bigint,
  agreed_end_date date,
  judged_on date,
  next_on date,
  metadata text not null,
  unrecorded_tenants text[] collate "C" not null default '{}'::text[],
  ledger_sequence integer not null default 0,
  owed text not null default '[]'::text,
  credit text not null default '[]'::text,
  subscriptions text[] collate "C" not null default '{}'::text[],
  charged text not null default '[]'::text,
  rent_increased_on date,
  first_rent_increase_on date,
  constraint tenancies_pkey PRIMARY KEY (account_id, id),
  constraint tenancies_signed_on CHECK (((signed_on IS NULL) = (signed_at IS NULL))),
  constraint tenancies_status_known CHECK ((status = ANY (ARRAY['draft'::text, 'signed'::text, 'active'::text, 'notice'::text, 'ended'::text, 'canceled'::text])))
);

CREATE INDEX tenancies_agreement ON public.tenancies USING btree (account_id, agreement) WHERE (agreement IS NOT NULL);
CREATE INDEX tenancies_application ON public.tenancies USING btree (account_id, application, id) WHERE (application IS NOT NULL);
CREATE INDEX tenancies_customers ON public.tenancies USING gin (customers);
CREATE INDEX tenancies_end ON public.tenancies USING btree (account_id, end_date, id);
CREATE INDEX tenancies_in_arrears ON public.tenancies USING btree (account_id, id) WHERE (((arrears)::jsonb ->> 'amount'::text) <> '0'::text);
CREATE INDEX tenancies_next_on ON public.tenancies USING btree (next_on, account_id, id) WHERE (next_on IS NOT NULL);
CREATE INDEX tenancies_no_double_let ON public.tenancies USING gist (account_id, unit, daterange(start_date, end_date, '[]'::text)) WHERE (status = ANY (ARRAY['signed'::text, 'active'::text, 'notice'::text, 'ended'::text]));
CREATE INDEX tenancies_start ON public.tenancies USING btree (account_id, start_date, id);
CREATE INDEX tenancies_status ON public.tenancies USING btree (account_id, status, id);
CREATE INDEX tenancies_type ON public.tenancies USING btree (account_id, type, id);
CREATE INDEX tenancies_unit ON public.tenancies USING btree (account_id, unit, id);

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
  deleted_at bigint,
  provider_order text,
  history_erased_at bigint,
  decision text,
  earlier_reports text[] collate "C" not null default '{}'::text[],
  report_order text,
  earlier_orders text,
  constraint tenant_references_pkey PRIMARY KEY (account_id, id),
  constraint tenant_references_application_given CHECK (((type <> 'customer'::text) OR (application IS NOT NULL))),
  constraint tenant_references_complete_has_outcome CHECK (((status <> 'complete'::text) OR (outcome IS NOT NULL))),
  constraint tenant_references_complete_has_time CHECK (((status = 'complete'::text) = (completed_at IS NOT NULL))),
  constraint tenant_references_deleted_are_ended CHECK (((deleted_at IS NULL) OR (status = ANY (ARRAY['complete'::text, 'canceled'::text])))),
  constraint tenant_references_outcome_known CHECK ((outcome = ANY (ARRAY['accept'::text, 'consider'::text, 'high_risk'::text]))),
  constraint tenant_references_pending_has_no_outcome CHECK (((status <> 'pending'::text) OR (outcome IS NULL))),
  constraint tenant_references_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'complete'::text, 'canceled'::text]))),
  constraint tenant_references_type_known CHECK ((type = 'customer'::text))
);

CREATE INDEX tenant_references_application ON public.tenant_references USING btree (account_id, application, id);
CREATE INDEX tenant_references_customer ON public.tenant_references USING btree (account_id, customer, id) WHERE (customer IS NOT NULL);
CREATE INDEX tenant_references_due_reports ON public.tenant_references USING btree (account_id, id) WHERE ((report_order IS NOT NULL) AND (((report_order)::jsonb ->> 'due_at_ms'::text) IS NOT NULL));
CREATE INDEX tenant_references_due_stops ON public.tenant_references USING btree (account_id, id) WHERE ((earlier_orders IS NOT NULL) AND (((earlier_orders)::jsonb ->> 'due_at_ms'::text) IS NOT NULL));
CREATE INDEX tenant_references_earlier_reports ON public.tenant_references USING gin (earlier_reports) WHERE (earlier_reports <> '{}'::text[]);
CREATE INDEX tenant_references_open_orders ON public.tenant_references USING btree (account_id, id) WHERE ((provider_order IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'processing'::text])));
CREATE INDEX tenant_references_outcome ON public.tenant_references USING btree (account_id, outcome, id) WHERE (outcome IS NOT NULL);
CREATE INDEX tenant_references_reference_pdf ON public.tenant_references USING btree (account_id, reference_pdf) WHERE (reference_pdf IS NOT NULL);
CREATE INDEX tenant_references_status ON public.tenant_references USING btree (account_id, status, id);
CREATE INDEX tenant_references_to_erase ON public.tenant_references USING btree (id) WHERE ((deleted_at IS NOT NULL) AND (history_erased_at IS NULL));

create table units (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  building text collate "C" not null,
  name text not null,
  type text collate "C" not null,
  bedrooms integer,
  max_occupants integer,
  rent text,
  on_market boolean not null,
  archived boolean not null,
  status text collate "C" not null,
  tenancy text collate "C",
  next_tenancy text collate "C",
  holding_deposit text collate "C",
  available_on date,
  lets text not null,
  lowest_asked text,
  metadata text not null,
  held_deposits text[] collate "C" not null default '{}'::text[],
  constraint units_pkey PRIMARY KEY (account_id, id),
  constraint units_status_known CHECK ((status = ANY (ARRAY['available'::text, 'reserved'::text, 'let_agreed'::text, 'occupied'::text])))
);

CREATE INDEX units_archived ON public.units USING btree (account_id, archived, id);
CREATE INDEX units_building ON public.units USING btree (account_id, building, id);
CREATE INDEX units_on_market ON public.units USING btree (account_id, on_market, id);
CREATE INDEX units_status ON public.units USING btree (account_id, status, id);
CREATE INDEX units_tenancy ON public.units USING btree (account_id, tenancy, id) WHERE (tenancy IS NOT NULL);
CREATE INDEX units_type ON public.units USING btree (account_id, type, id);

create table used_challenges (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  expires_at bigint not null,
  constraint used_challenges_pkey PRIMARY KEY (account_id, id)
);

create table users (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  email text not null,
  name text,
  role text not null,
  status text not null,
  password_hash text,
  totp_secret bytea,
  totp_pending bytea,
  totp_step bigint,
  recovery_codes text[] not null,
  passkeys text not null,
  credentials_revision bigint not null,
  last_signed_in_at bigint,
  identity_issuer text collate "C",
  identity_subject text collate "C",
  identity_linked_at bigint,
  password_is_short boolean not null default false,
  constraint users_pkey PRIMARY KEY (account_id, id),
  constraint users_role_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'operator'::text, 'viewer'::text]))),
  constraint users_status_known CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

CREATE UNIQUE INDEX users_by_email ON public.users USING btree (lower((email COLLATE "C")));
CREATE UNIQUE INDEX users_by_identity ON public.users USING btree (identity_issuer, identity_subject);

create table webhook_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  started_at_ms bigint not null,
  duration_ms integer not null,
  status smallint,
  error text,
  response text,
  api_version text not null,
  outcome text not null,
  constraint webhook_attempts_pkey PRIMARY KEY (account_id, delivery_id, started_at_ms),
  constraint webhook_attempts_outcome_known CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'to_be_retried'::text, 'interrupted'::text]))),
  constraint webhook_attempts_tell_what_happened CHECK (((status IS NOT NULL) OR (error IS NOT NULL)))
) partition by range (delivery_id);

CREATE INDEX webhook_attempts_failed ON ONLY public.webhook_attempts USING btree (account_id, delivery_id) WHERE (outcome = 'failed'::text);

create table webhook_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  event text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  type text collate "C" not null,
  event_account text collate "C",
  constraint webhook_deliveries_pkey PRIMARY KEY (account_id, id)
) partition by range (id);

CREATE INDEX webhook_deliveries_endpoint ON ONLY public.webhook_deliveries USING btree (account_id, webhook_endpoint, id);
CREATE INDEX webhook_deliveries_event ON ONLY public.webhook_deliveries USING btree (account_id, event, id);
CREATE INDEX webhook_deliveries_type ON ONLY public.webhook_deliveries USING btree (account_id, webhook_endpoint, type, id);

create table webhook_endpoints (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  url text not null,
  description text,
  enabled_events text[] collate "C" not null,
  api_version text not null,
  status text not null,
  disabled_reason text,
  signing_secret bytea not null,
  metadata text not null,
  connected boolean not null default false,
  enablement bigint not null default 1,
  disabled_spans text not null default '[]'::text,
  constraint webhook_endpoints_pkey PRIMARY KEY (account_id, id),
  constraint webhook_endpoints_reason_is_of_disabled CHECK (((status = 'disabled'::text) OR (disabled_reason IS NULL))),
  constraint webhook_endpoints_status_known CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
);

create table webhook_failures (
  account_id text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  enablement bigint not null,
  since_ms bigint not null,
  last_ms bigint not null,
  attempt_count bigint not null,
  day_count bigint not null,
  constraint webhook_failures_pkey PRIMARY KEY (account_id, webhook_endpoint)
);

create table webhook_queue (
  account_id text collate "C" not null,
  id text collate "C" not null,
  event text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  attempt_count smallint not null default 0,
  due_at_ms bigint not null,
  claim_token bigint,
  claimed_until_ms bigint not null default 0,
  event_account text collate "C",
  enablement bigint not null default 1,
  resend boolean not null default false,
  trace_parent text,
  constraint webhook_queue_pkey PRIMARY KEY (account_id, id)
);

CREATE INDEX webhook_queue_again ON public.webhook_queue USING btree (due_at_ms) WHERE (attempt_count > 0);
CREATE INDEX webhook_queue_first ON public.webhook_queue USING btree (due_at_ms) WHERE (attempt_count = 0);

create table workflow_positions (
  account_id text collate "C" not null,
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null,
  constraint workflow_positions_pkey PRIMARY KEY (account_id)
);

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
  awaits text collate "C",
  awaits_record text collate "C",
  constraint workflow_runs_pkey PRIMARY KEY (account_id, id),
  constraint workflow_runs_asks CHECK (((approval_request IS NULL) OR (status = 'waiting'::text))),
  constraint workflow_runs_awaits CHECK (((awaits IS NULL) OR (status = 'waiting'::text))),
  constraint workflow_runs_awaits_record CHECK (((awaits_record IS NULL) OR (awaits IS NOT NULL))),
  constraint workflow_runs_canceled CHECK (((status = 'canceled'::text) = (canceled_at IS NOT NULL))),
  constraint workflow_runs_failed CHECK (((status = 'failed'::text) = (failed_at IS NOT NULL))),
  constraint workflow_runs_status CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))),
  constraint workflow_runs_succeeded CHECK (((status = 'succeeded'::text) = (succeeded_at IS NOT NULL)))
);

CREATE INDEX workflow_runs_awaiting ON public.workflow_runs USING btree (account_id, awaits, COALESCE(awaits_record, ''::text)) WHERE (awaits IS NOT NULL);
CREATE INDEX workflow_runs_due ON public.workflow_runs USING btree (((((progress)::jsonb ->> 'due_at_ms'::text))::bigint)) WHERE ((((progress)::jsonb ->> 'due_at_ms'::text) IS NOT NULL) AND (status = ANY (ARRAY['running'::text, 'waiting'::text])));
CREATE INDEX workflow_runs_event ON public.workflow_runs USING btree (account_id, event, id);
CREATE UNIQUE INDEX workflow_runs_once ON public.workflow_runs USING btree (account_id, workflow, event);
CREATE INDEX workflow_runs_status ON public.workflow_runs USING btree (account_id, status, id);
CREATE INDEX workflow_runs_workflow ON public.workflow_runs USING btree (account_id, workflow, id);

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
  active_from text collate "C",
  signing_secret bytea not null,
  metadata text not null default '{}'::text,
  constraint workflows_pkey PRIMARY KEY (account_id, id),
  constraint workflows_active CHECK (((status = 'active'::text) = (active_from IS NOT NULL))),
  constraint workflows_archived CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
  constraint workflows_paused CHECK (((status = 'paused'::text) = (paused_at IS NOT NULL))),
  constraint workflows_status CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'archived'::text])))
);

CREATE INDEX workflows_active_ones ON public.workflows USING btree (account_id) WHERE (status = 'active'::text);

CREATE OR REPLACE FUNCTION public.reject_batch_entries(reason text, entries integer[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if cardinality(entries) > 0 then
    raise exception using errcode = 'TN001', message = reason, detail = array_to_string(entries, ',');
  end if;
end
$function$
;
