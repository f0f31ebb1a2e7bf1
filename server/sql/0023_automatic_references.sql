-- What is to be known of an order with a referencing service, and is shown to nobody: its number, and when it is looked at next.
alter table tenant_references add column provider_order text;

-- What the account needs to ask the services with, by their names; each sealed with the master key.
alter table accounts add column provider_credentials text;
