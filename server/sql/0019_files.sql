create table files (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  purpose text collate "C" not null,
  filename text not null,
  size integer not null constraint files_size_bounded check (size between 1 and 10485760),
  sha256 text collate "C" not null constraint files_hash_whole check (sha256 ~ '^[0-9a-f]{64}$'),
  content_type text not null,
  metadata text not null,
  primary key (account_id, id)
);

create index files_purpose on files (account_id, purpose, id);

-- The bytes of files, in parts, so that neither the server nor the database ever holds a whole file at once. They come before
-- their file: until that is there, nobody can see them.
create table file_parts (
  account_id text collate "C" not null,
  file text collate "C" not null,
  ordinal integer not null,
  bytes bytea not null,
  primary key (account_id, file, ordinal)
);

-- PDFs are compressed already.
alter table file_parts alter column bytes set storage external;

-- Files whose parts have begun to come. What never became a file is found here, and removed.
create table file_uploads (
  account_id text collate "C" not null,
  file text collate "C" not null,
  started_at_ms bigint not null,
  primary key (account_id, file)
);

create index file_uploads_started on file_uploads (started_at_ms);
