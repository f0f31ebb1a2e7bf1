-- Fails a batch and names the entries that cannot be part of it. The committer leaves them out and sends the rest again. Because this raises
-- an error, a whole batch with its commit can travel to the database at once.
create function reject_batch_entries(reason text, entries integer[]) returns void
language plpgsql as $$
begin
  if cardinality(entries) > 0 then
    raise exception using errcode = 'TN001', message = reason, detail = array_to_string(entries, ',');
  end if;
end
$$;
drop function refuse_batch_members(text, integer[]);
alter table simulated_orders rename column told_steps to reported_steps;
