-- Holding deposits and tenancy deposits, and what payments, units and applications know of them.

create table deposits (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  type text collate "C" not null
    constraint deposits_type_known check (type in ('holding', 'tenancy')),
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
  status text collate "C" not null
    constraint deposits_status_known check (
      status in ('pending', 'received', 'protected', 'releasing', 'disputed', 'settled', 'canceled')
    ),
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
  primary key (account_id, id),
  constraint deposits_within check (
    amount_applied >= 0 and amount_deducted >= 0 and amount_returned >= 0
    and amount_applied + amount_deducted + amount_returned <= amount_received
    and amount_received <= amount
  ),
  constraint deposits_settled_hold_nothing check (
    status not in ('settled', 'canceled') or amount_applied + amount_deducted + amount_returned = amount_received
  ),
  constraint deposits_received_in_full check (status <> 'received' or amount_received = amount),
  constraint deposits_link_by_type check (
    (type = 'holding') = (application is not null) and (type = 'tenancy') = (tenancy is not null)
  )
);

create index deposits_type on deposits (account_id, type, id);
create index deposits_status on deposits (account_id, status, id);
create index deposits_application on deposits (account_id, application, id) where application is not null;
create index deposits_tenancy on deposits (account_id, tenancy, id) where tenancy is not null;
create index deposits_unit on deposits (account_id, unit, id);
create index deposits_payer on deposits (account_id, payer, id) where payer is not null;
create index deposits_protect_by on deposits (account_id, protect_by, id);
create index deposits_decide_by on deposits (account_id, decide_by, id);
create index deposits_next_on on deposits (next_on, account_id, id) where next_on is not null;

-- A payment is for a tenancy or for a deposit.
alter table payments
  alter column tenancy drop not null,
  add column deposit text collate "C",
  add constraint payments_for_one check (num_nonnulls(tenancy, deposit) = 1);

create index payments_deposit on payments (account_id, deposit, id) where deposit is not null;

-- The holding deposits that are held for the unit, and those of an application with the day of its refusal.
alter table units add column held_deposits text[] collate "C" not null default '{}';
alter table applications
  add column holding_deposits text[] collate "C" not null default '{}',
  add column refused_on date;
