-- One row for each mutating request, partitioned as events are. Its `response_body` is also the answer that a repeated
-- Idempotency-Key gets.
create table request_logs (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  method text not null,
  url text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  ip_address text,
  user_agent text,
  user_email text,
  key_id text collate "C",
  key_type text,
  source text not null,
  api_version text not null,
  idempotency_key text collate "C",
  original_request text collate "C",
  replayed boolean not null,
  request_body text,
  response_body text,
  error text,
  events text[] collate "C" not null,
  mentions text[] collate "C" not null,
  primary key (account_id, id),
  constraint request_logs_source_known check (source in ('api', 'dashboard', 'portal'))
) partition by range (id);

create table request_logs_default partition of request_logs default;
