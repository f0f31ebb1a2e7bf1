-- A challenge of a passkey that was answered. It is never accepted again.
create table used_challenges (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  expires_at bigint not null,
  primary key (account_id, id)
);
