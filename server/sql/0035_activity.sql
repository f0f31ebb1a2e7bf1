-- Counts of requests, events and attempts by time. Batches append to the small table, so that no writer waits for another. A duty moves
-- its rows into the large one, where minutes become hours after two days. The sum of both is exact at any time.
create table activity_deltas (
  account_id text collate "C" not null,
  -- The endpoint of the attempts. Empty for requests and events.
  webhook_endpoint text collate "C" not null default '',
  -- The begin of the minute, in seconds.
  start bigint not null,
  requests_2xx bigint not null default 0,
  requests_4xx bigint not null default 0,
  requests_5xx bigint not null default 0,
  events bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0
) with (
  -- A table that is emptied all the time is cleaned all the time.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

create index activity_deltas_account on activity_deltas (account_id);

create table activity (
  account_id text collate "C" not null,
  start bigint not null,
  -- 60 or 3600.
  seconds integer not null,
  webhook_endpoint text collate "C" not null,
  requests_2xx bigint not null,
  requests_4xx bigint not null,
  requests_5xx bigint not null,
  events bigint not null,
  delivered bigint not null,
  failed bigint not null,
  primary key (account_id, start, seconds, webhook_endpoint)
);

create index activity_age on activity (seconds, start);

-- What happened before this migration.
insert into activity_deltas (account_id, webhook_endpoint, start, requests_2xx, requests_4xx, requests_5xx, events, delivered, failed)
select account_id, webhook_endpoint, seconds / 60 * 60, count(*) filter (where status / 100 = 2), count(*) filter (where status / 100 = 4),
  count(*) filter (where status / 100 = 5), count(*) filter (where status = 0), count(*) filter (where outcome = 'delivered'),
  count(*) filter (where outcome <> 'delivered')
from (
  select account_id, '' as webhook_endpoint, created as seconds, status, null as outcome from request_logs
  union all
  select account_id, '', created, 0, null from events
  union all
  select attempt.account_id, webhook_endpoint, started_at_ms / 1000, null, outcome
  from webhook_attempts attempt
  join webhook_deliveries delivery on delivery.account_id = attempt.account_id and delivery.id = attempt.delivery_id
  where outcome <> 'interrupted'
) happened
group by account_id, webhook_endpoint, seconds / 60;
