-- What the simulated referencing services of the sandbox have been asked for. They are outside services: an order belongs to no account, is known
-- by the customer's reference, and outlives a restart. There is nothing of a person in it.
create table simulated_orders (
  provider text collate "C" not null,
  reference text collate "C" not null,
  -- The service's own id of it.
  order_id text collate "C" not null,
  script text not null,
  has_guarantor boolean not null,
  rent jsonb,
  working_day_ms bigint not null,
  -- Null until a call that orders it did not fail.
  placed_at_ms bigint,
  canceled_at_ms bigint,
  calls bigint not null,
  -- What test helpers have changed.
  forced jsonb not null,
  callback_url text,
  -- Sealed.
  callback_secret bytea,
  -- The steps that were told to the customer.
  told_steps bigint not null default 0,
  -- When there is something to tell; null if there is nothing more.
  tell_at_ms bigint,
  tell_attempts bigint not null default 0,
  claimed_until_ms bigint not null default 0,
  -- Goes up with every forced change, so that whoever has told what was before does not take away what is to be told of it.
  changes bigint not null default 0,
  primary key (provider, reference),
  unique (provider, order_id)
);

create index simulated_orders_to_tell on simulated_orders (tell_at_ms) where tell_at_ms is not null;
