create table customers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  name text not null,
  email text collate "C",
  phone text,
  date_of_birth text,
  addresses text not null,
  metadata text not null,
  primary key (account_id, id)
);

create index customers_email on customers (account_id, email, id) where email is not null;
