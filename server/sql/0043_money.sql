-- Invoices, payments, and the ledger of a tenancy.

create table counters (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  last bigint not null,
  primary key (account_id, id)
);

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
  status text collate "C" not null
    constraint invoices_status_known check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  finalized_at bigint,
  paid_at bigint,
  voided_at bigint,
  marked_uncollectible_at bigint,
  paying text[] collate "C" not null,
  moved_on date,
  next_on date,
  metadata text not null,
  primary key (account_id, id),
  constraint invoices_settled_within check (
    amount_paid >= 0 and amount_credited >= 0 and amount_paid + amount_credited <= total
  ),
  constraint invoices_paid_when_settled check ((status = 'paid') = (status <> 'void' and number is not null and amount_paid + amount_credited = total)),
  constraint invoices_numbered check ((number is null) = (status = 'draft'))
);

create unique index invoices_number on invoices (account_id, number) where number is not null;
create index invoices_tenancy on invoices (account_id, tenancy, id);
create index invoices_subscription on invoices (account_id, subscription, id) where subscription is not null;
create index invoices_customers on invoices using gin (customers);
create index invoices_status on invoices (account_id, status, id);
create index invoices_overdue on invoices (account_id, overdue, id);
create index invoices_due_on on invoices (account_id, due_on, id);
create index invoices_next_on on invoices (next_on, account_id, id) where next_on is not null;

create table payments (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C" not null,
  amount bigint not null,
  currency text collate "C" not null,
  method text collate "C" not null,
  status text collate "C" not null
    constraint payments_status_known check (status in ('pending', 'succeeded', 'failed', 'canceled', 'refunded')),
  received_on date not null,
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
  primary key (account_id, id),
  constraint payments_settle_within check (
    amount_allocated >= 0 and amount_refunded >= 0 and amount_allocated + amount_refunded <= amount
  )
);

create index payments_tenancy on payments (account_id, tenancy, id);
create index payments_customer on payments (account_id, customer, id) where customer is not null;
create index payments_status on payments (account_id, status, id);
create index payments_method on payments (account_id, method, id);
create index payments_received_on on payments (account_id, received_on, id);

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
  primary key (account_id, id)
);

create unique index ledger_entries_sequence on ledger_entries (account_id, tenancy, sequence);
create index ledger_entries_tenancy on ledger_entries (account_id, tenancy, id);

alter table tenancies
  add column ledger_sequence integer not null default 0,
  add column owed text not null default '[]',
  add column credit text not null default '[]';

alter table accounts add column invoice_prefix text collate "C" not null default 'INV';
