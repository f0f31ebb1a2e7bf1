-- People write an e-mail address with capitals in one place and without them in another.
create index customers_email_caseless on customers (account_id, lower(email), id) where email is not null;
drop index customers_email;
