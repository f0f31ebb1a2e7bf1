-- The tenancies whose rent is overdue are few, so a list of them scans no others.

create index tenancies_in_arrears on tenancies (account_id, id) where (arrears::jsonb ->> 'amount') <> '0';
