-- A person who is erased keeps the id; what tells of them elsewhere is taken out until `history_erased_at` is set.
alter table customers
  add column deleted_at bigint,
  add column history_erased_at bigint,
  add constraint customers_deleted_are_empty check (
    deleted_at is null
    or (name = '[erased]' and email is null and phone is null and date_of_birth is null and addresses = '[]' and metadata = '{}')
  );

create index customers_to_erase on customers (id) where deleted_at is not null and history_erased_at is null;

alter table tenant_references
  add column deleted_at bigint,
  add constraint tenant_references_deleted_are_ended check (deleted_at is null or status in ('complete', 'canceled'));

-- Whose report a file is.
create index tenant_references_reference_pdf on tenant_references (account_id, reference_pdf) where reference_pdf is not null;

-- What a request wrote that had no event about the person, because it was refused, repeated or changed nothing, or because it was about
-- another record, is found by these. Ranges of paths are prefixes in this collation only.
alter table request_logs alter column path type text collate "C";
create index request_logs_path on request_logs (account_id, path, id);
create index request_logs_original on request_logs (account_id, original_request) where original_request is not null;
alter table request_logs add column also_mentions text[] collate "C" not null default '{}';
create index request_logs_also_mentions on request_logs using gin (also_mentions) where also_mentions <> '{}';
