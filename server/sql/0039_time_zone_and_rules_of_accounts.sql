-- The calendar and the rules of law of an account. A process of the last release makes accounts without them.
alter table accounts
  add column time_zone text not null default 'Europe/London',
  add column rules text not null default '{"ruleset":"england","checks":{}}';
