-- What a list of logs is filtered by, in the order of the list.
create index request_logs_status on request_logs (account_id, status, id);
create index request_logs_key on request_logs (account_id, key_id, id);
create index request_logs_idempotency_key on request_logs (account_id, idempotency_key, id) where idempotency_key is not null;

-- Logs are counted by these from now on; so are those that are there.
insert into count_deltas (account_id, object, dimension, value, delta)
select account_id, 'log', dimension, value, count(*)
from request_logs
cross join lateral (
  values ('method', method), ('status', status::text), ('source', source), ('key_id', key_id)
) counted (dimension, value)
where value is not null
group by account_id, dimension, value;
