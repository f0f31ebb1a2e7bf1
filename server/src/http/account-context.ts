import { ApiError } from '../core/errors.ts';
import { isId } from '../core/ids.ts';

/**
 * The account a request acts on: the one `Service-Context` names, else the key's own.
 *
 * @throws {ApiError} `account_invalid`; an unknown account and one that is not connected get the same answer.
 */
export function chooseAccount(header: string | undefined, ownAccountId: string): string {
  if (header === undefined || header === ownAccountId) return ownAccountId;
  if (!isId('acct', header)) {
    throw new ApiError('account_invalid', '`Service-Context` must be an account id, such as `acct_…`.', {
      status: 400,
      type: 'invalid_request_error',
    });
  }
  throw new ApiError(
    'account_invalid',
    `The account ${header} does not exist, or is not connected to the account of this key.`,
  );
}
