-- The texts by which the search finds records. A duty derives them from the records, beside the requests that write.

create table search_entries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  -- Folded texts of the record, as words.
  words text collate "C" not null,
  -- The beginnings of the words, for queries of one or two characters.
  starts text collate "C" not null,
  -- Numbers of the parts of the words. They differ by account and kind of record.
  parts integer[] not null,
  primary key (account_id, id)
);

-- A short pending list, because a search reads all of it.
create index search_entries_parts on search_entries using gin (parts) with (gin_pending_list_limit = 512);

-- How far the entries of an account follow its events.
create table search_positions (
  account_id text collate "C" primary key,
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null,
  -- Until all records of the account have their entries: the last record that has been read. Then null.
  built_until text collate "C"
);
