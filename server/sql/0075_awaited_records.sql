-- What a run waits for, so that an event finds the few runs that it can end among many.

alter table workflow_runs
  alter column awaits type text collate "C" using
    case when cardinality(awaits) = 1 then awaits[1] else split_part(awaits[1], '.', 1) || '.*' end,
  -- An id that the awaited event has in its data.
  add column awaits_record text collate "C",
  add constraint workflow_runs_awaits_record check (awaits_record is null or awaits is not null);

drop index workflow_runs_awaiting;
create index workflow_runs_awaiting on workflow_runs (account_id, awaits, coalesce(awaits_record, ''))
  where awaits is not null;
