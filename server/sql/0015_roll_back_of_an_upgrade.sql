-- An account that has upgraded to a newer version of the API can return for some time to the one before.
alter table accounts add column api_version_previous text collate "C";
alter table accounts add column rollback_until bigint;
alter table accounts add constraint accounts_roll_back_has_end check ((api_version_previous is null) = (rollback_until is null));
