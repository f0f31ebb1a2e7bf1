-- What legal duties keep of erased persons, encrypted, until the duties end.

alter table accounts add column year_end text collate "C" not null default '03-31';

-- The files that go with an erased person.
alter table customers add column erased_files text[] collate "C" not null default '{}';

create table retention_holds (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customer text collate "C" not null,
  kind text collate "C" not null
    constraint retention_holds_kind_known check (kind in ('right_to_rent', 'accounts')),
  basis text not null,
  files text[] collate "C" not null,
  until date not null,
  status text collate "C" not null
    constraint retention_holds_status_known check (status in ('held', 'expired')),
  reveals integer not null,
  revealed_at bigint,
  expired_at bigint,
  revealed_to text collate "C",
  sealed bytea,
  file_key bytea,
  next_on date,
  primary key (account_id, id),
  constraint retention_holds_held_are_full
    check ((status = 'held') = (sealed is not null and file_key is not null and expired_at is null)),
  constraint retention_holds_expired_are_empty
    check (status <> 'expired' or (sealed is null and file_key is null and expired_at is not null))
);

create index retention_holds_customer on retention_holds (account_id, customer, id);
create index retention_holds_kind on retention_holds (account_id, kind, id);
create index retention_holds_status on retention_holds (account_id, status, id);
create index retention_holds_files on retention_holds using gin (files) where status = 'held';
create index retention_holds_next_on on retention_holds (next_on, account_id, id) where next_on is not null;

-- The parts of sealed files, each encrypted with the key of its hold.
create table retention_hold_parts (
  account_id text collate "C" not null,
  hold text collate "C" not null,
  file text collate "C" not null,
  ordinal integer not null,
  bytes bytea not null,
  primary key (account_id, hold, file, ordinal)
);
alter table retention_hold_parts alter column bytes set storage external;

-- The files of a person are looked for by these links.
create index tenancies_agreement on tenancies (account_id, agreement) where agreement is not null;
create index deposits_certificate on deposits (account_id, certificate) where certificate is not null;
create index deposits_file on deposits (account_id, file) where file is not null;
create index guarantors_file on guarantors (account_id, file) where file is not null;
create index customers_right_to_rent on customers (account_id, id) where right_to_rent is not null;
