-- Buildings, units, guarantors and tenancies, and what applications and customers know of them.

-- A trusted extension: the owner of a database may make it.
create extension if not exists btree_gist;

create table buildings (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  address text not null,
  jurisdiction text collate "C",
  archived boolean not null,
  unit_count integer not null constraint buildings_units_counted check (unit_count >= 0),
  metadata text not null,
  primary key (account_id, id)
);

create index buildings_archived on buildings (account_id, archived, id);

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
  status text collate "C" not null
    constraint units_status_known check (status in ('available', 'reserved', 'let_agreed', 'occupied')),
  tenancy text collate "C",
  next_tenancy text collate "C",
  holding_deposit text collate "C",
  available_on date,
  lets text not null,
  lowest_asked text,
  metadata text not null,
  primary key (account_id, id)
);

create index units_building on units (account_id, building, id);
create index units_type on units (account_id, type, id);
create index units_status on units (account_id, status, id);
create index units_on_market on units (account_id, on_market, id);
create index units_archived on units (account_id, archived, id);
create index units_tenancy on units (account_id, tenancy, id) where tenancy is not null;

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
  status text collate "C" not null
    constraint tenancies_status_known check (status in ('draft', 'signed', 'active', 'notice', 'ended', 'canceled')),
  signed_at bigint,
  activated_at bigint,
  notice_given_at bigint,
  ended_at bigint,
  canceled_at bigint,
  agreed_end_date date,
  judged_on date,
  next_on date,
  metadata text not null,
  primary key (account_id, id),
  constraint tenancies_signed_on check ((signed_on is null) = (signed_at is null)),
  -- No two tenancies hold a unit on the same day. Both ends are included.
  constraint tenancies_no_double_let exclude using gist
    (account_id with =, unit with =, daterange(start_date, end_date, '[]') with &&)
    where (status in ('signed', 'active', 'notice', 'ended'))
);

create index tenancies_unit on tenancies (account_id, unit, id);
create index tenancies_application on tenancies (account_id, application, id) where application is not null;
create index tenancies_customers on tenancies using gin (customers);
create index tenancies_status on tenancies (account_id, status, id);
create index tenancies_type on tenancies (account_id, type, id);
create index tenancies_start on tenancies (account_id, start_date, id);
create index tenancies_end on tenancies (account_id, end_date, id);
create index tenancies_next_on on tenancies (next_on, account_id, id) where next_on is not null;

create table guarantors (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  application text collate "C" not null,
  customer text collate "C" not null,
  guarantees text[] collate "C",
  "limit" text,
  file text collate "C",
  reference text collate "C",
  tenancy text collate "C",
  status text collate "C" not null
    constraint guarantors_status_known check (status in ('proposed', 'agreed', 'declined', 'released')),
  agreed_on date,
  released_on date,
  agreed_at bigint,
  declined_at bigint,
  released_at bigint,
  metadata text not null,
  primary key (account_id, id)
);

create index guarantors_application on guarantors (account_id, application, id);
create index guarantors_customer on guarantors (account_id, customer, id);
create index guarantors_tenancy on guarantors (account_id, tenancy, id) where tenancy is not null;
create index guarantors_status on guarantors (account_id, status, id);

alter table applications
  add column status text collate "C" not null default 'open'
    constraint applications_status_known check (status in ('open', 'approved', 'rejected', 'withdrawn', 'converted')),
  add column decision text,
  add column review text,
  add column guarantors text[] collate "C" not null default '{}',
  add column tenancy text collate "C",
  add column checks text not null default '[]',
  add column approved_at bigint,
  add column rejected_at bigint,
  add column withdrawn_at bigint,
  add column converted_at bigint,
  add column guarantors_known text not null default '[]';

create index applications_status on applications (account_id, status, id);
create index applications_tenancy on applications (account_id, tenancy, id) where tenancy is not null;

-- The counts of a list by `status` begin with the applications that are there.
insert into count_deltas (account_id, object, dimension, value, delta)
select account_id, 'application', 'status', 'open', count(*)
from applications
group by account_id;

alter table customers
  add column right_to_rent text,
  add column live_tenancies text[] collate "C" not null default '{}';
