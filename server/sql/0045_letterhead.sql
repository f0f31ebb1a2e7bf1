-- What an account prints at the head of its invoices and statements. Null if it has set nothing.
alter table accounts add column letterhead text;
