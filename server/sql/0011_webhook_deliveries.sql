-- A delivery is one event's way to one endpoint. It is three things: the fact that it was asked for (written once, with the
-- event), its place in the queue while it is pending (small, hot, deleted at the end), and its attempts (written once each).
-- Its status follows from them, so nothing has to be kept in step: in the queue it is pending; then its last attempt tells
-- whether it was delivered or failed; without such an attempt it was canceled.

create table webhook_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  event text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  type text collate "C" not null,
  primary key (account_id, id)
) partition by range (id);

create table webhook_deliveries_default partition of webhook_deliveries default;

create index webhook_deliveries_event on webhook_deliveries (account_id, event, id);
create index webhook_deliveries_endpoint on webhook_deliveries (account_id, webhook_endpoint, id);

-- A claim changes no indexed column, so PostgreSQL updates the row in its page (HOT): hence the free room in each page. A
-- table that is written all the time is cleaned all the time.
create table webhook_queue (
  account_id text collate "C" not null,
  id text collate "C" not null,
  event text collate "C" not null,
  webhook_endpoint text collate "C" not null,
  -- Attempts that count: those that the server itself cut off do not.
  attempt_count smallint not null default 0,
  due_at_ms bigint not null,
  -- Whoever claimed it may write its outcome, and nobody else may claim it before that time.
  claim_token bigint,
  claimed_until_ms bigint not null default 0,
  primary key (account_id, id)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);

-- Two lanes: a hundred thousand retries that are due at once do not stand before one first attempt.
create index webhook_queue_first on webhook_queue (due_at_ms) where attempt_count = 0;
create index webhook_queue_again on webhook_queue (due_at_ms) where attempt_count > 0;

-- In the partition of their delivery, so that they leave together.
create table webhook_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  started_at_ms bigint not null,
  duration_ms integer not null,
  -- What the receiver answered; null where it did not.
  status smallint,
  -- Why there was no complete answer, in one word.
  error text,
  -- The beginning of the answer's body.
  response text,
  api_version text not null,
  -- What became of the delivery by it.
  outcome text not null,
  primary key (account_id, delivery_id, started_at_ms),
  constraint webhook_attempts_outcome_known check (outcome in ('delivered', 'failed', 'to_be_retried', 'interrupted')),
  constraint webhook_attempts_tell_what_happened check (status is not null or error is not null)
) partition by range (delivery_id);

create table webhook_attempts_default partition of webhook_attempts default;

-- Deliveries as the API shows them. Each expression is a look-up by key, and only those that a statement asks for are made.
create view webhook_deliveries_shown as
select
  delivery.account_id,
  delivery.id,
  delivery.created,
  delivery.event,
  delivery.webhook_endpoint,
  delivery.type,
  case
    when exists (
      select from webhook_queue queue where queue.account_id = delivery.account_id and queue.id = delivery.id
    ) then 'pending'
    else coalesce(
      (
        select attempt.outcome
        from webhook_attempts attempt
        where attempt.account_id = delivery.account_id
          and attempt.delivery_id = delivery.id
          and attempt.outcome in ('delivered', 'failed')
        order by attempt.outcome
        limit 1
      ),
      'canceled'
    )
  end as status,
  (
    select count(*)
    from webhook_attempts attempt
    where attempt.account_id = delivery.account_id
      and attempt.delivery_id = delivery.id
      and attempt.outcome <> 'interrupted'
  ) as attempt_count,
  (
    select queue.due_at_ms / 1000
    from webhook_queue queue
    where queue.account_id = delivery.account_id and queue.id = delivery.id
  ) as next_attempt_at,
  (
    select (attempt.started_at_ms + attempt.duration_ms) / 1000
    from webhook_attempts attempt
    where attempt.account_id = delivery.account_id
      and attempt.delivery_id = delivery.id
      and attempt.outcome = 'delivered'
    limit 1
  ) as delivered_at,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'created', attempt.started_at_ms / 1000,
          'status', attempt.status,
          'error', attempt.error,
          'duration_ms', attempt.duration_ms,
          'response', attempt.response,
          'api_version', attempt.api_version
        )
        order by attempt.started_at_ms
      )::text
      from webhook_attempts attempt
      where attempt.account_id = delivery.account_id and attempt.delivery_id = delivery.id
    ),
    '[]'
  ) as attempts
from webhook_deliveries delivery;
