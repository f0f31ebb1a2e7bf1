-- The tables of the baseline, in their own schema beside the product's.
drop schema if exists baseline cascade;
create schema baseline;
set search_path = baseline;

create table api_keys (hash text primary key, account text not null);
create table endpoints (id text primary key, account text not null, created bigint not null, url text not null, secret text not null, events text[] not null);
create table tenant_references (
  id text primary key, account text not null, created bigint not null, application text not null, customer text, type text not null,
  status text not null, outcome text, completed_at bigint, decision jsonb, reference_pdf text,
  earlier_reports text[] not null default '{}', automatic_reference jsonb, metadata jsonb not null
);
create index on tenant_references (account, id);
create table events (id text primary key, account text not null, created bigint not null, type text not null, object_id text not null, data jsonb not null);
create index on events (account, id);
create table request_logs (
  id text primary key, account text not null, created bigint not null, method text not null, path text not null, status integer not null,
  request_body text not null, response_body text not null
);
create index on request_logs (account, id);
create table idempotency_keys (
  account text, key text, fingerprint text not null, answer text not null, created bigint not null, primary key (account, key)
);
create table attempts (event text not null, endpoint text not null, status integer not null, duration_ms integer not null, created bigint not null);
reset search_path;
