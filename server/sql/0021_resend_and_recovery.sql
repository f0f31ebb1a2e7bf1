-- Somebody asked for this very attempt: it is made once, and if it succeeds, the automatic retries of its event to its endpoint end.
alter table webhook_queue add column resend boolean not null default false;

-- When an endpoint got nothing because it was disabled: [{"from", "to"}] in seconds, `to` null while it is. What happened in that
-- time has no delivery that could be sent again, so a recovery looks for it by this.
alter table webhook_endpoints add column disabled_spans text not null default '[]';
-- Since when is not known; what had a delivery meanwhile is not sent again.
update webhook_endpoints set disabled_spans = '[{"from":' || created || ',"to":null}]' where status = 'disabled';

-- An order to send again what an endpoint did not take. It is carried out in pages; each page is one transaction with the place that
-- it came to, so that whoever goes on after a crash sends nothing twice and leaves nothing out.
create table recoveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  webhook_endpoint text collate "C" not null,
  since bigint not null,
  status text not null,
  resent bigint not null,
  completed_at bigint,
  -- The id of the last delivery, and then of the last event, that was looked at.
  position text collate "C" not null,
  primary key (account_id, id),
  constraint recoveries_status_known check (status in ('pending', 'completed', 'canceled')),
  constraint recoveries_end_has_a_time check ((status = 'pending') = (completed_at is null))
);

create index recoveries_pending on recoveries (webhook_endpoint, id) where status = 'pending';
create index recoveries_endpoint on recoveries (account_id, webhook_endpoint, id);

-- Endpoints none of whose attempts has succeeded since a time: a row begins with a failure and ends with the next success.
create table webhook_failures (
  account_id text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  -- The endpoint's, when its deliveries were made: enabling starts afresh.
  enablement bigint not null,
  since_ms bigint not null,
  last_ms bigint not null,
  attempt_count bigint not null,
  -- How many days, in UTC, had a failed attempt.
  day_count bigint not null,
  primary key (account_id, webhook_endpoint)
) with (fillfactor = 50);
