-- Deliveries made before an endpoint was enabled are never sent to it, also those that a large backlog left in the queue.
alter table webhook_endpoints add column enabled_since bigint not null default 0;
alter table webhook_endpoints alter column enabled_since drop default;
