-- The newest version of the API that every process of the deployment knows. A release that brings a newer one can run beside the
-- release before it; nobody is served the new version until this row says so.
alter table deployment add column latest_api_version text collate "C";
update deployment set latest_api_version = '2026-11-01';
alter table deployment alter column latest_api_version set not null;
