-- Whether the password has fewer characters than one needs without a second factor. The length of older passwords is not known, so they
-- count as long.
alter table users add column password_is_short boolean not null default false;
