-- The accounts that move to another cell, or come from one. An account without a row is simply here. Both cells have the rows of a move,
-- with the same `move`. Its states at the source are `copying`, `draining`, `closed` and `moved`. At the target they are `arriving` and
-- `arrived`.
create table account_moves (
  account_id text collate "C" not null,
  root text collate "C" not null,
  move text collate "C" not null,
  state text collate "C" not null,
  -- The other cell's name at the source. Null at the target.
  cell text collate "C",
  -- What identifies the target's database at the source, so that a move goes on with no other one. Null at the target.
  target text collate "C",
  -- The first copy is complete. Only the row of the root at the target tells it.
  is_copied boolean not null default false,
  primary key (account_id),
  constraint account_moves_state_known
    check (state in ('copying', 'draining', 'closed', 'moved', 'arriving', 'arrived'))
);

-- The keys of the rows that changed while their tree was copied. Triggers write them, which exist only during a move.
create table account_move_changes (
  account_id text collate "C" not null,
  id bigint generated always as identity,
  relation text collate "C" not null,
  key text[] collate "C" not null,
  primary key (account_id, id)
);
