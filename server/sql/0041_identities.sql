-- The identity at a company's own provider (OpenID Connect) by which a user signs in. It ends with its user.
alter table users
  add column identity_issuer text collate "C",
  add column identity_subject text collate "C",
  add column identity_linked_at bigint;
create unique index users_by_identity on users (identity_issuer, identity_subject);

-- A sign-in by a provider knows an e-mail address and no account.
create index invitations_by_address on invitations (lower(email collate "C"));
