-- A one-time link is void when the role or the credentials of its user change, or when its maker goes.
alter table one_time_links add column made_by text collate "C", add column credentials_revision bigint;
