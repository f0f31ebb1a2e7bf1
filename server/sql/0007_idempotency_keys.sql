-- A key that began to execute. Its answer is the `response_body` of its request's log; one that carries a secret is redacted
-- there, and kept here, sealed. Not partitioned by time, because a key must stay unique.
create table idempotency_keys (
  account_id text collate "C" not null,
  -- The account whose key was used: it differs from `account_id` where one account acts for another.
  key_account_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  request_id text collate "C" not null,
  -- In milliseconds, for its day is exactly a day.
  claimed_at_ms bigint not null,
  sealed_body bytea,
  primary key (account_id, key_account_id, key)
);

create index idempotency_keys_claimed_at on idempotency_keys (claimed_at_ms);
