-- What is to be known of an order with a referencing service, and is shown to nobody: its number, and when it is looked at next.
alter table tenant_references add column provider_order text;

-- What was asked for before there was anybody to ask is asked for now: it is overdue.
update tenant_references
set provider_order = '{"id":null,"due_at_ms":0,"failures":0,"shown_at_ms":0,"stopped":false,"later":[]}'
where automatic_reference::jsonb ->> 'enabled' = 'true' and status in ('pending', 'processing');

-- Those whose step is overdue are looked for among these.
create index tenant_references_open_orders on tenant_references (account_id, id)
where provider_order is not null and status in ('pending', 'processing');

-- What the account needs to ask the services with, by their names; each sealed with the master key.
alter table accounts add column provider_credentials text;
