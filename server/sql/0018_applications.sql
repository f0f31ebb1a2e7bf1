create table applications (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customers text[] collate "C" not null,
  unit text collate "C",
  rent text,
  move_in_date text,
  reference_counts text not null,
  metadata text not null,
  primary key (account_id, id)
);

create index applications_customers on applications using gin (customers);

create index applications_unit on applications (account_id, unit, id) where unit is not null;
