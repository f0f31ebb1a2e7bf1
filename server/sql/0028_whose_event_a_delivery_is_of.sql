-- A delivery to an endpoint for connected accounts tells the account of its event; null where that is the delivery's own.
create or replace view webhook_deliveries_shown as
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
  ) as attempts,
  delivery.event_account
from webhook_deliveries delivery;
