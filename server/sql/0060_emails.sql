-- E-mails: the queue of those to send, and those that a sandbox keeps.

create table emails (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  kind text collate "C" not null,
  -- The record that it is about.
  about text collate "C" not null,
  -- Records with which an erasure finds it.
  mentions text[] collate "C" not null,
  -- The persons that may read a kept one: its link gives rights.
  audience text collate "C" not null,
  recipient text collate "C" not null,
  expires_at bigint not null,
  -- Encrypted: the texts, and the link. Both are null once the e-mail has left.
  content bytea,
  link bytea,
  status text collate "C" not null
    constraint emails_status check (status in ('queued', 'sent', 'failed', 'kept')),
  -- The next attempt. Null if there is none.
  sending text,
  failure text,
  ended_at bigint,
  primary key (account_id, id),
  constraint emails_queued check ((status = 'queued') = (sending is not null)),
  constraint emails_ended check ((status = 'queued') = (ended_at is null)),
  constraint emails_emptied check ((status in ('queued', 'kept')) = (content is not null and link is not null))
);

-- Overdue attempts are found among these.
create index emails_due on emails (((sending::jsonb ->> 'due_at_ms')::bigint)) where sending is not null;
create index emails_ended_at on emails (ended_at) where ended_at is not null;
create index emails_mentions on emails using gin (mentions);

alter table invitations
  add column email_status text collate "C",
  add column email_failure text;

alter table file_links
  add column recipient_email text,
  add column email_status text collate "C",
  add column email_failure text;
