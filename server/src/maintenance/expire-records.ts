import type { Logger } from 'pino';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { toSeconds } from '../core/clock.ts';
import { isHere } from '../db/away.ts';
import { UnavailableError } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import { fieldOf } from '../model/record.ts';
import type { Id } from '../core/ids.ts';
import { expires } from '../model/traits/expires.ts';

/** Records that are read at once. */
const pageSize = 100;

interface ExpiryContext extends SystemChangeContext {
  reader: Reader;
  log: Logger;
}

/**
 * Ends the records whose time is over, by the clock of the deployment. Several processes may run it at once: the revision of a record lets
 * only one of them end it.
 */
export async function expireRecords(context: ExpiryContext, signal: AbortSignal): Promise<void> {
  const { resources, reader, clock, log } = context;
  for (const resource of resources) {
    const expiry = expires.of(resource);
    if (!expiry) continue;
    const nowSeconds = toSeconds(clock.nowMs());
    for (let after = '', more = true; more && !signal.aborted;) {
      const due = await reader.query<{ account_id: string; id: Id }>({
        ...dueStatement(resource),
        values: [nowSeconds, expiry.statuses, after],
      });
      for (const record of due) {
        // A record that cannot be ended must not stop the others.
        await changeAsSystem(context, resource, record, {}, (now) => {
          const expiresAt = fieldOf(now, 'expires_at');
          return typeof expiresAt === 'number' && expiresAt <= nowSeconds ? expiry.end(now) : null;
        }).catch((error: unknown) => {
          if (error instanceof UnavailableError) throw error;
          log.error({ err: error, kind: resource.object, id: record.id }, 'a record could not expire');
        });
      }
      after = due.at(-1)?.id ?? '';
      more = due.length === pageSize;
    }
  }
}

const dueStatement = oncePerKind(({ table }) => ({
  name: `expired_${table}`,
  text: `
    select account_id, id
    from ${table}
    where status = any($2::text[]) and expires_at <= $1::bigint and id > $3 and ${isHere(`${table}.account_id`)}
    order by id
    limit ${pageSize}`,
}));
