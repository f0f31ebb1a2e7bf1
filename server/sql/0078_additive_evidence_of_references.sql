-- The reference for which a file is evidence. The erasure of the reference finds the file by it.
alter table files add column reference text collate "C";
