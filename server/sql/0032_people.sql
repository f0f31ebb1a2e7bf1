-- Persons that sign in to the dashboard. One e-mail address signs in to one account of the deployment.
create table users (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  email text not null,
  name text,
  role text not null,
  status text not null,
  password_hash text,
  totp_secret bytea,
  totp_pending bytea,
  totp_step bigint,
  recovery_codes text[] not null,
  passkeys text not null,
  credentials_revision bigint not null,
  last_signed_in_at bigint,
  primary key (account_id, id),
  constraint users_role_known check (role in ('owner', 'admin', 'developer', 'operator', 'viewer')),
  constraint users_status_known check (status in ('active', 'disabled'))
);
create unique index users_by_email on users (lower(email collate "C"));

create table invitations (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  email text not null,
  role text not null,
  invited_by text collate "C",
  token_hash text collate "C" not null,
  expires_at bigint not null,
  accepted_at bigint,
  revoked_at bigint,
  primary key (account_id, id),
  constraint invitations_role_known check (role in ('owner', 'admin', 'developer', 'operator', 'viewer'))
);
create unique index invitations_by_token on invitations (token_hash);
create index invitations_by_email on invitations (account_id, lower(email collate "C"));

-- A browser in which a user is signed in. Only the hash of its cookie is stored.
create table sessions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  user_id text collate "C" not null,
  token_hash text collate "C" not null,
  role text not null,
  credentials_revision bigint not null,
  factors text[] not null,
  confirmed_at bigint,
  expires_at bigint not null,
  last_seen_at bigint,
  ip_address text,
  user_agent text,
  primary key (account_id, id)
);
create unique index sessions_by_token on sessions (token_hash);
create index sessions_by_user on sessions (account_id, user_id, id);

-- A link that does one thing once: it makes the first owner, sets a password, or signs in.
create table one_time_links (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  purpose text not null,
  user_id text collate "C",
  token_hash text collate "C" not null,
  expires_at bigint not null,
  used_at bigint,
  primary key (account_id, id),
  constraint one_time_links_purpose_known check (purpose in ('first_owner', 'password_reset', 'sign_in'))
);
create unique index one_time_links_by_token on one_time_links (token_hash);

-- Failed attempts of an address, of a user, or of a browser, in the last minutes.
create table sign_in_attempts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  failures integer not null,
  since bigint not null,
  primary key (account_id, id)
);

-- The dashboard's requests name their user.
alter table request_logs add column user_id text collate "C";
create index request_logs_user on request_logs (account_id, user_id, id) where user_id is not null;

-- Null means: as the mode of the deployment has it.
alter table accounts add column require_second_factor boolean;
