import type { Reader } from '../../db/reader.ts';

/** A page of a list of the portal. */
export interface PageQuery {
  /** At most so many ids. */
  limit: number;
  /** Only ids that are older than this one. Empty for the first page. */
  after: string;
  /** Only records of this tenancy. Empty for all. */
  tenancy: string;
}

export interface IdPage {
  ids: string[];
  /** The number of ids on all pages. */
  count: number;
  hasMore: boolean;
}

/** Finds the payments that a person sees: its own, and those of its signed tenancies and their deposits. */
export async function findPayments(reader: Reader, person: Person, page: PageQuery): Promise<IdPage> {
  return findPage(
    reader,
    'find_payments_of_renter',
    `select id, tenancy from payments where account_id = $1 and customer = $2
     union
     select payment.id, payment.tenancy
     from tenancies tenancy
     join payments payment on payment.account_id = $1 and payment.tenancy = tenancy.id
     where tenancy.account_id = $1 and tenancy.customers @> array[$2] and tenancy.signed_on is not null
     union
     select payment.id, payment.tenancy
     from (${depositsOfPerson}) deposit
     join payments payment on payment.account_id = $1 and payment.deposit = deposit.id`,
    person,
    page,
  );
}

/** Finds the deposits that a person sees: those that it pays, and those of its signed tenancies and its applications. */
export async function findDeposits(reader: Reader, person: Person, page: PageQuery): Promise<IdPage> {
  return findPage(reader, 'find_deposits_of_renter', depositsOfPerson, person, page);
}

/** Counts the files that a person has sent. */
export async function countFiles(reader: Reader, { accountId, customerId }: Person): Promise<number> {
  const [row] = await reader.query<{ count: number }>({
    name: 'count_files_of_renter',
    text: 'select count(*)::integer as count from files where account_id = $1 and customer = $2',
    values: [accountId, customerId],
  });
  return row?.count ?? 0;
}

export interface Person {
  accountId: string;
  customerId: string;
}

const depositsOfPerson = `
  select id, tenancy from deposits where account_id = $1 and payer = $2
  union
  select deposit.id, deposit.tenancy
  from tenancies tenancy
  join deposits deposit on deposit.account_id = $1 and deposit.tenancy = tenancy.id
  where tenancy.account_id = $1 and tenancy.customers @> array[$2] and tenancy.signed_on is not null
  union
  select deposit.id, deposit.tenancy
  from applications application
  join deposits deposit on deposit.account_id = $1 and deposit.application = application.id
  where application.account_id = $1 and application.customers @> array[$2]`;

async function findPage(
  reader: Reader,
  name: string,
  visible: string,
  { accountId, customerId }: Person,
  { limit, after, tenancy }: PageQuery,
): Promise<IdPage> {
  const rows = await reader.query<{ id: string; count: number }>({
    name,
    text: `
      with visible as (${visible}),
      wanted as (select id from visible where $5 = '' or tenancy = $5)
      select id, (select count(*) from wanted) as count
      from wanted
      where $4 = '' or id < $4
      order by id desc
      limit $3`,
    values: [accountId, customerId, limit + 1, after, tenancy],
  });
  const ids = rows.map(({ id }) => id);
  return { ids: ids.slice(0, limit), count: rows[0]?.count ?? 0, hasMore: ids.length > limit };
}
