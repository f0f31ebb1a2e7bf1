-- A reference can be erased by itself, where another system keeps the person. Its history is erased until `history_erased_at` is set, as
-- that of a customer is. References erased before were erased with their person.
alter table tenant_references add column history_erased_at bigint;

update tenant_references set history_erased_at = deleted_at where deleted_at is not null;

create index tenant_references_to_erase on tenant_references (id) where deleted_at is not null and history_erased_at is null;
