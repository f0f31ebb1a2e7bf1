-- Bank files, their lines, and the payments made from lines.

create table payment_imports (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  filename text not null,
  sha256 text collate "C" not null,
  format text collate "C" not null,
  status text collate "C" not null
    constraint payment_imports_status_known check (status in ('open', 'complete')),
  lines_new integer not null,
  lines_known integer not null,
  lines_skipped integer not null,
  known_lines text not null,
  lines text not null,
  primary key (account_id, id)
);

create table bank_lines (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created bigint not null,
  revision bigint not null,
  import text collate "C" not null,
  line integer not null,
  received_on date not null,
  amount bigint not null constraint bank_lines_came_in check (amount > 0),
  currency text collate "C" not null,
  reference text,
  payer_name text,
  status text collate "C" not null
    constraint bank_lines_status_known check (status in ('proposed', 'unmatched', 'confirmed', 'ignored')),
  tenancy text collate "C",
  customer text collate "C",
  matched_by text[] collate "C" not null,
  candidates text not null,
  payment text collate "C",
  confirmed_at bigint,
  ignored_at bigint,
  fingerprint text collate "C" not null,
  payer_key text collate "C",
  deleted_at bigint,
  history_erased_at bigint,
  primary key (account_id, id),
  constraint bank_lines_paid_when_confirmed check ((status = 'confirmed') = (payment is not null)),
  constraint bank_lines_proposed_for check (status not in ('proposed', 'confirmed') or tenancy is not null)
);

-- However often a file is sent, a line is one record.
create unique index bank_lines_fingerprint on bank_lines (account_id, fingerprint);
create index bank_lines_import on bank_lines (account_id, import, id);
create index bank_lines_status on bank_lines (account_id, status, id);
create index bank_lines_tenancy on bank_lines (account_id, tenancy, id) where tenancy is not null;
create index bank_lines_customer on bank_lines (account_id, customer, id) where customer is not null;
create index bank_lines_received_on on bank_lines (account_id, received_on, id);
create index bank_lines_payer on bank_lines (account_id, payer_key, id) where status = 'confirmed';
create index bank_lines_to_erase on bank_lines (deleted_at, id) where deleted_at is not null and history_erased_at is null;

alter table payments add column bank_line text collate "C";
-- A line becomes one payment, even if that fails later.
create unique index payments_bank_line on payments (account_id, bank_line) where bank_line is not null;
create index payments_reference on payments
  (account_id, lower(regexp_replace(reference collate "C", '[[:space:][:punct:]]+', '', 'g')), id) where reference is not null;
