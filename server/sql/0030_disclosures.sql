-- When each finding of a simulated order was first told to its customer. A service changes its mind a working day after that, and not before.
alter table simulated_orders add column disclosed jsonb not null default '[]';
