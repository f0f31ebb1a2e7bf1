-- A migration of its own, so that reads of files go on while the index is built.
create index files_reference on files (account_id, reference, id) where reference is not null;
