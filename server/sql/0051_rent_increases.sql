-- The day on which a rent last rose belongs to the tenancy. A new subscription, or a tenancy from another system, keeps it.

alter table tenancies
  add column rent_increased_on date,
  add column first_rent_increase_on date;

update tenancies tenancy
set rent_increased_on = rent.last_on, first_rent_increase_on = rent.first_on
from (
  select account_id, tenancy, min(first_increase_on) as first_on, max(last_increase_on) as last_on
  from subscriptions
  where last_increase_on is not null
  group by account_id, tenancy
) rent
where rent.account_id = tenancy.account_id and rent.tenancy = tenancy.id;

alter table subscriptions
  drop column first_increase_on,
  drop column last_increase_on;
