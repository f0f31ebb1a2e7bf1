-- What the dashboard filters lists by. Most logs have no error, so their rows cost its index nothing.
alter table request_logs add column error_code text collate "C";
update request_logs set error_code = error::json ->> 'code' where error is not null;
create index request_logs_error_code on request_logs (account_id, error_code, id) where error_code is not null;

alter table events add column actor_type text collate "C", add column actor_id text collate "C";
update events
set actor_type = request::json -> 'actor' ->> 'type', actor_id = request::json -> 'actor' ->> 'id'
where request::json -> 'actor' ->> 'type' is not null;
create index events_actor_type on events (account_id, actor_type, id) where actor_type is not null;
create index events_actor on events (account_id, actor_id, id) where actor_id is not null;

create index webhook_deliveries_type on webhook_deliveries (account_id, webhook_endpoint, type, id);
-- Few deliveries fail in the end. The list of an endpoint's failed ones begins with these.
create index webhook_attempts_failed on webhook_attempts (account_id, delivery_id) where outcome = 'failed';

insert into count_deltas (account_id, object, dimension, value, delta)
select account_id, 'log', 'error_code', error_code, count(*)
from request_logs
where error_code is not null
group by account_id, error_code
union all
select account_id, 'event', dimension, value, count(*)
from events
cross join lateral (values ('actor_type', actor_type), ('actor_id', actor_id)) counted (dimension, value)
where value is not null
group by account_id, dimension, value;

-- The API key or user that made a key. Keys of the server's commands have none.
alter table api_keys add column created_by text collate "C";
update api_keys key
set created_by = made.actor_id
from events made
where made.account_id = key.account_id and made.object_id = key.id and made.type = 'api_key.created';
