-- Logical replication finds an updated or deleted row by its replica identity. The primary key is that of every other table. These two
-- have no key, because equal rows are legal: writers append, and a duty merges. So the whole row is the identity. An insert costs the
-- same as before, whereas a key would cost an entry of an index. A delete logs the old row, and only if `wal_level` is `logical`.
alter table activity_deltas replica identity full;
alter table count_deltas replica identity full;
