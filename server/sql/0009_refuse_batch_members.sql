-- Ends a batch that some of its members must not be part of, and says which: the committer leaves them out and sends the rest
-- again. Raising here lets a whole batch, its commit included, travel to the database in one go.
create function refuse_batch_members(reason text, members integer[]) returns void
language plpgsql as $$
begin
  if cardinality(members) > 0 then
    raise exception using errcode = 'TN001', message = reason, detail = array_to_string(members, ',');
  end if;
end
$$;
