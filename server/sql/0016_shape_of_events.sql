-- An event is kept in the newest shape of its time: the one of this version of the API. The default is the shape of all before.
alter table events add column shape_version text collate "C" not null default '2026-11-01';
