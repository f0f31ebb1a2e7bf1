-- The place in a trace (`traceparent`) of what made the delivery. Each process that makes an attempt continues the trace. It is null
-- without tracing. It goes with the delivery's place in the queue.
alter table webhook_queue add column trace_parent text;
