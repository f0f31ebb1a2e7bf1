-- How far the clock of a sandbox was moved ahead of the world's, so that what takes days can be tried. It only ever grows.
alter table deployment add column clock_ahead_ms bigint not null default 0;
