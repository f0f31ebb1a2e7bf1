-- A rent that has an end can have a successor, created before that end. The mutation of a creation also changes the tenancy, so two creations
-- cannot overlap. Of rents without an end, the index lets a tenancy have one.

drop index subscriptions_one_rent;
create unique index subscriptions_one_rent on subscriptions (account_id, tenancy)
  where type = 'rent' and status <> 'ended' and end_date is null;
