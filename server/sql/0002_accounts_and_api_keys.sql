-- Every table has the account first in its key, and every statement names it: PostgreSQL can then be partitioned or sharded
-- by account without a rewrite. Ids are compared byte by byte (collate "C"), because they sort by the time they were made.

create table accounts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  api_version text,
  default_provider text,
  linked_records text not null,
  primary key (account_id, id),
  -- An account is its own record: it lives in itself.
  constraint accounts_own_themselves check (account_id = id),
  constraint accounts_linked_records_known check (linked_records in ('open', 'strict'))
);

create table api_keys (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  hash text collate "C" not null,
  type text not null,
  name text,
  permissions text[] not null,
  last_four text not null,
  expires_at bigint,
  revoked_at bigint,
  primary key (account_id, id),
  constraint api_keys_type_known check (type in ('secret', 'restricted', 'agent'))
);

-- Sign-in knows no account yet: the one look-up without it.
create unique index api_keys_hash on api_keys (hash);
