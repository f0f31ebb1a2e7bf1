-- The orders at services that a reference has left. They are still to be stopped there. It is never shown.
alter table tenant_references add column earlier_orders text;

-- The overdue stops are few, so the search for them scans no other references.
create index tenant_references_due_stops on tenant_references (account_id, id)
where earlier_orders is not null and (earlier_orders::jsonb ->> 'due_at_ms') is not null;

-- The open checks of a person that services make. A new e-mail address is told to these services.
alter table customers add column checks text[] collate "C" not null default '{}';

update customers
set checks = open_checks.ids
from (
  select account_id, customer, array_agg(id order by id) as ids
  from tenant_references
  where customer is not null
    and status in ('pending', 'processing')
    and (automatic_reference::jsonb ->> 'enabled')::boolean
  group by account_id, customer
) open_checks
where customers.account_id = open_checks.account_id and customers.id = open_checks.customer;

-- A simulated service tells the addresses of an applicant apart, without storing them.
alter table simulated_orders add column contact text;
