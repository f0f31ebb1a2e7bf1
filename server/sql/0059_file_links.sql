-- Links with which persons without an account open files.

create table file_links (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  file text collate "C" not null,
  recipient text,
  token_hash text collate "C" not null,
  expires_at bigint not null,
  opened_at bigint,
  open_count integer not null constraint file_links_opens_count check ((open_count > 0) = (opened_at is not null)),
  revoked_at bigint,
  primary key (account_id, id)
);

-- A stranger has only the token, and names no account.
create unique index file_links_token on file_links (token_hash);
create index file_links_file on file_links (account_id, file, id);
