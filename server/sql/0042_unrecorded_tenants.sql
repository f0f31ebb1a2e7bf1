-- The tenants without a recorded right to rent, so that a record of one revises the warning of the tenancy.
alter table tenancies add column unrecorded_tenants text[] collate "C" not null default '{}';

update tenancies tenancy
set unrecorded_tenants = array(
  select id
  from unnest(tenancy.customers) as tenant (id)
  where not exists (
    select
    from customers customer
    where customer.account_id = tenancy.account_id and customer.id = tenant.id and customer.right_to_rent is not null
  )
)
where status in ('signed', 'active', 'notice');
