-- How many times an endpoint was enabled, its creation included. A delivery bears the number of its time, and is sent only while the
-- endpoint has that number: enabling starts afresh, also where a large backlog was left in the queue. No clock is asked.
alter table webhook_endpoints add column enablement bigint not null default 1;
alter table webhook_queue add column enablement bigint not null default 1;
