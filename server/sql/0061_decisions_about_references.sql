-- The last decision of a person or a program. The files of earlier reports are in the order of their issue.
alter table tenant_references add column decision text;
alter table tenant_references add column earlier_reports text[] collate "C" not null default '{}';

-- The decisions whose reports are still to be issued. It is never shown.
alter table tenant_references add column report_order text;

-- The overdue reports are few, so the search for them scans no others.
create index tenant_references_due_reports on tenant_references (account_id, id)
where report_order is not null and (report_order::jsonb ->> 'due_at_ms') is not null;

-- An erasure looks for the other references that name a file. Few references have earlier reports.
create index tenant_references_earlier_reports on tenant_references using gin (earlier_reports)
where earlier_reports <> '{}';
