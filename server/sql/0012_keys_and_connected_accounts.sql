-- When a key was last used, to the minute; a duty keeps it.
alter table api_keys add column last_used_at bigint;

-- A connected account belongs to its parent, which may act for it.
alter table accounts add column parent text collate "C";
create index accounts_parent on accounts (parent, id) where parent is not null;

-- An endpoint for the events of connected accounts is another account's than the events it gets.
alter table webhook_endpoints add column connected boolean not null default false;
alter table webhook_deliveries add column event_account text collate "C";
alter table webhook_queue add column event_account text collate "C";
