-- Payments that a gateway collects, and the gateway of the sandbox.

alter table payments
  add column provider text collate "C",
  add column cancel_requested_at bigint,
  add column gateway_order text,
  alter column received_on drop not null,
  add constraint payments_received check (received_on is not null or status in ('pending', 'failed', 'canceled')),
  add constraint payments_ordered check ((provider is null) = (gateway_order is null));

-- A refund without a gateway has succeeded.
update payments
set refunds = (
  select jsonb_agg(refund || '{"status": "succeeded", "failure": null}' order by number)::text
  from jsonb_array_elements(refunds::jsonb) with ordinality as part (refund, number)
)
where refunds <> '[]';

-- Overdue steps are found among these.
create index payments_next_step on payments (((gateway_order::jsonb ->> 'due_at_ms')::bigint))
where gateway_order is not null;

alter table accounts add column payment_provider text collate "C";

-- The charges of the simulated gateway. It is an outside service, so a charge belongs to no account.
create table simulated_charges (
  gateway text collate "C" not null,
  -- The idempotency key of the call that made it.
  key text collate "C" not null,
  -- The gateway's own id.
  charge_id text collate "C" not null,
  amount bigint not null,
  currency text collate "C" not null,
  working_day_ms bigint not null,
  -- What happens to it, and when: see the code.
  course jsonb not null,
  refunds jsonb not null default '[]',
  callback_url text,
  -- Encrypted.
  callback_secret bytea,
  -- When the customer is called. Null if there is nothing to tell.
  tell_at_ms bigint,
  tell_attempts bigint not null default 0,
  -- Rises with every change, so that two changes at once do not overwrite each other.
  changes bigint not null default 0,
  primary key (gateway, key),
  unique (gateway, charge_id)
);

create index simulated_charges_to_tell on simulated_charges (tell_at_ms) where tell_at_ms is not null;
