-- Sessions of persons in the portal. Each begins with a link, which is opened once.

create table portal_sessions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  customer text collate "C" not null,
  features text[] collate "C" not null,
  return_url text,
  metadata text not null default '{}',
  email_status text collate "C",
  email_failure text,
  -- The hash of the token in the link.
  link_hash text collate "C" not null,
  expires_at bigint not null,
  -- The hash of the token of the opened session.
  session_hash text collate "C",
  opened_at bigint,
  last_used_at bigint,
  ended_at bigint,
  primary key (account_id, id),
  constraint portal_sessions_opened check ((opened_at is not null) = (session_hash is not null))
);

-- A person has only the token, and names no account.
create unique index portal_sessions_link on portal_sessions (link_hash);
create unique index portal_sessions_token on portal_sessions (session_hash) where session_hash is not null;
create index portal_sessions_customer on portal_sessions (account_id, customer, id);

-- The session of a request in the portal.
alter table request_logs add column portal_session text collate "C";
create index request_logs_portal_session on request_logs (account_id, portal_session, id) where portal_session is not null;

-- The person that sent a file in the portal.
alter table files add column customer text collate "C";
create index files_customer on files (account_id, customer, id) where customer is not null;
