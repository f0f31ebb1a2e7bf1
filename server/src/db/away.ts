/* An account can move to another cell (`move-account/`). It has a row in `account_moves` meanwhile. Almost no account has one. */

/** The guards of a move raise this SQLSTATE. It refuses a write to an account that is not here. */
export const awayCode = 'TN002';

/** States in which the account is here: a move copies it, or has brought it. */
const statesHere = `('copying', 'draining', 'arrived')`;

/**
 * Returns an SQL condition: the account of a row is in this cell. Work that looks for records of all accounts needs it.
 *
 * @param accountId an SQL expression.
 */
export function isHere(accountId: string): string {
  return `not exists (
    select from account_moves move where move.account_id = ${accountId} and move.state not in ${statesHere}
  )`;
}

/**
 * Returns an SQL condition: the account of a row has moved to another cell. Nothing here is needed any more until the operator deletes it.
 *
 * @param accountId an SQL expression.
 */
export function hasMoved(accountId: string): string {
  return `exists (
    select from account_moves move where move.account_id = ${accountId} and move.state = 'moved'
  )`;
}

/**
 * Returns an SQL expression. It is null if the account is in this cell. After a move, it is the other cell's name. During one, it is empty.
 *
 * @param accountId an SQL expression.
 */
export function awayOf(accountId: string): string {
  return `(
    select case when move.state = 'moved' then move.cell else '' end
    from account_moves move
    where move.account_id = ${accountId} and move.state not in ${statesHere}
  )`;
}

/**
 * Returns the message of a request that is refused because its account is not here.
 *
 * @param account names the account, such as `The account acct_1`. A stranger must not learn its id.
 * @param cell the cell to which the account has moved. Empty during the move.
 */
export function awayMessage(account: string, cell: string): string {
  return cell === ''
    ? `${account} is moving to another cell of Tenure. Nothing was changed. Try again shortly.`
    : `${account} has moved to the cell ${cell}. Nothing was changed. Send the request to the address of that cell.`;
}
