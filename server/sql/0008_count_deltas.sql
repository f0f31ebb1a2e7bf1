-- How many there are: the sum of all deltas of one value. Writers only ever append, so that they never wait for each other;
-- a duty folds the rows of one value into one. The total has the dimension and value ''.
create table count_deltas (
  account_id text collate "C" not null,
  object text collate "C" not null,
  dimension text collate "C" not null,
  value text collate "C" not null,
  delta bigint not null
);

create index count_deltas_value on count_deltas (account_id, object, dimension, value) include (delta);
