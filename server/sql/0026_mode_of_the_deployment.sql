-- Sandbox or live, as its first start found it set; null until then in a database of a release before. It never changes.
alter table deployment add column mode text collate "C";
alter table deployment add constraint deployment_mode_known check (mode in ('sandbox', 'live'));
