-- The reference for which a file is evidence. The erasure of the reference finds the file by it.
alter table files add column reference text collate "C";
create index files_reference on files (account_id, reference, id) where reference is not null;
