-- One row: what is true of this deployment as a whole.
create table deployment (
  id boolean primary key default true check (id),
  -- Sealed with the master key, so that a process with another key is found out before it writes anything.
  master_key_check bytea not null,
  -- Rises when the database was restored to an earlier transaction id, so that positions in the event stream still only rise.
  event_epoch integer not null default 1
);
