-- What happened, in the order it happened. Append-only, and partitioned by the time in the ids, so that old events leave as a
-- whole partition. The default partition takes what no partition was made for.
create table events (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  type text collate "C" not null,
  object_id text collate "C" not null,
  -- Every id the event speaks of, the record's own included.
  mentions text[] collate "C" not null,
  -- The event's `data` and `request`, in the newest shape of their time. Only ever sent on, so plain text.
  data text not null,
  request text not null,
  -- The event's place in the stream. Transaction ids order by assignment, so they are read below the oldest one still running.
  epoch integer not null,
  transaction_id xid8 not null,
  ordinal integer not null,
  primary key (account_id, id)
) partition by range (id);

create table events_default partition of events default;

create index events_object on events (account_id, object_id, id);
create index events_type on events (account_id, type, id);
-- A short pending list: a long one is folded in by one unlucky writer, who then waits for tens of milliseconds.
create index events_mentions on events using gin (mentions) with (gin_pending_list_limit = 256);
