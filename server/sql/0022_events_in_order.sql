-- The order in which an account's events are followed.
create index events_in_order on events (account_id, epoch, transaction_id, ordinal);
