-- Where an account wants to be told of its events. Gone when deleted: nothing may be sent to it any more.
create table webhook_endpoints (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  url text not null,
  description text,
  -- `*`, `<resource>.*` or `<resource>.<verb>`; a name that is not known never matches.
  enabled_events text[] collate "C" not null,
  -- The version that deliveries are rendered in.
  api_version text not null,
  status text not null,
  disabled_reason text,
  -- Encrypted with the deployment's master key.
  signing_secret bytea not null,
  metadata text not null,
  primary key (account_id, id),
  constraint webhook_endpoints_status_known check (status in ('enabled', 'disabled')),
  constraint webhook_endpoints_reason_is_of_disabled check (status = 'disabled' or disabled_reason is null)
);
