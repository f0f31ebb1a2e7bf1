-- Subscriptions, which invoice the rent of each period once.

create table subscriptions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  tenancy text collate "C" not null,
  type text collate "C" not null
    constraint subscriptions_type_known check (type in ('rent', 'service')),
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
  status text collate "C" not null
    constraint subscriptions_status_known check (status in ('scheduled', 'active', 'paused', 'ended')),
  activated_at bigint,
  paused_at bigint,
  ended_at bigint,
  first_increase_on date,
  last_increase_on date,
  next_on date,
  metadata text not null,
  primary key (account_id, id)
);

create unique index subscriptions_one_rent on subscriptions (account_id, tenancy) where type = 'rent' and status <> 'ended';
create index subscriptions_tenancy on subscriptions (account_id, tenancy, id);
create index subscriptions_status on subscriptions (account_id, status, id);
create index subscriptions_next_on on subscriptions (next_on, account_id, id) where next_on is not null;

alter table invoices
  add column period_start date,
  add column charge text;

create unique index invoices_once_a_period on invoices (account_id, subscription, period_start) where subscription is not null;

alter table tenancies
  add column subscriptions text[] collate "C" not null default '{}',
  add column charged text not null default '[]';
