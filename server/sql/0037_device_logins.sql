-- A sign-in of the command line that waits for a person. Only hashes of its two codes are stored. The secret is the encrypted key, until
-- the command has picked it up. It is then deleted with the row.
create table device_logins (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  device_code_hash text collate "C" not null,
  user_code_hash text collate "C" not null,
  machine text not null,
  ip_address text,
  expires_at bigint not null,
  decision text,
  decided_by text collate "C",
  key_account_id text collate "C",
  key_id text collate "C",
  secret bytea,
  primary key (account_id, id),
  constraint device_logins_decision_known check (decision in ('approved', 'denied'))
);
create unique index device_logins_by_device_code on device_logins (device_code_hash);
create unique index device_logins_by_user_code on device_logins (user_code_hash);
