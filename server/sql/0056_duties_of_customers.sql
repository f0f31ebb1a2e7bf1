-- What can keep a customer from being erased: tenancies, holding deposits, deposits that they pay, and guarantees.

alter table customers
  add column tenancies text[] collate "C" not null default '{}',
  add column applications text[] collate "C" not null default '{}',
  add column deposits text[] collate "C" not null default '{}',
  add column guarantees text[] collate "C" not null default '{}';

update customers customer
set tenancies = known.ids
from (
  select account_id, person, array_agg(id order by id) as ids
  from tenancies, unnest(customers) as person
  group by account_id, person
) known
where known.account_id = customer.account_id and known.person = customer.id;

update customers customer
set applications = known.ids
from (
  select account_id, person, array_agg(id order by id) as ids
  from applications, unnest(customers) as person
  where holding_deposits <> '{}'
  group by account_id, person
) known
where known.account_id = customer.account_id and known.person = customer.id;

update customers customer
set deposits = known.ids
from (
  select account_id, payer, array_agg(id order by id) as ids
  from deposits
  where payer is not null and status not in ('settled', 'canceled')
  group by account_id, payer
) known
where known.account_id = customer.account_id and known.payer = customer.id;

update customers customer
set guarantees = known.ids
from (
  select account_id, guarantor.customer, array_agg(id order by id) as ids
  from guarantors guarantor
  where status = 'agreed'
  group by account_id, guarantor.customer
) known
where known.account_id = customer.account_id and known.customer = customer.id;
