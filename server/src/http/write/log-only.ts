import type { StoredResponse } from '../../commit/write-request.ts';
import { isId } from '../../core/ids.ts';
import { isErased } from '../../model/change.ts';
import type { HttpContext } from '../context.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { requestFacts } from './request-facts.ts';

/**
 * Writes the log of a request that was not executed.
 *
 * @param response makes the response. It is called when there is room in memory. Null if there is nothing to log.
 * @throws the error of `response`. Then there is no log.
 */
export async function logOnly(
  context: HttpContext,
  request: AuthenticatedRequest,
  response: () => Promise<StoredResponse | null>,
): Promise<void> {
  const outcome = await context.committer.commit({
    accountId: request.accountId,
    payer: request.payer,
    request: requestFacts(context, request),
    claim: null,
    locks: [],
    async decide() {
      const made = await response();
      if (made) await omitBodyAboutErased(context, request, made);
      return { changes: [], response: made };
    },
  });
  if (outcome.kind === 'refused') throw outcome.error;
}

/** A request names few records. The body of one with more ids than this is omitted without reading them. */
const namedMax = 100;

/**
 * Omits the body from the log of a rejected request that names an erased person. The same holds for a record that
 * the account does not have, because another account may have erased it. No erasure would find the log later.
 */
export async function omitBodyAboutErased(
  { resources, readRecord, personalDataIds }: HttpContext,
  request: AuthenticatedRequest,
  { status }: StoredResponse,
): Promise<void> {
  if (status === 404) request.bodyText = null;
  const ids = new Set(`${request.incoming.url} ${request.bodyText ?? ''}`.match(personalDataIds));
  if (request.bodyText === null || ids.size === 0) return;
  const mayBeErased = async (id: string): Promise<boolean> => {
    const resource = resources.find(({ prefix }) => isId(prefix, id));
    const record = resource ? await readRecord(resource, request.accountId, id) : null;
    return record === null || isErased(record);
  };
  const areErased = ids.size <= namedMax ? Promise.all([...ids].map(mayBeErased)) : Promise.resolve([true]);
  // Without an answer of the database, the log is worth more than its body.
  if ((await areErased.catch(() => [true])).includes(true)) request.bodyText = null;
}
