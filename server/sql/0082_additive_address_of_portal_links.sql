-- The address to which the link of a portal session was sent. A session does not outlive a change of that address.
alter table portal_sessions add column sent_to text;
