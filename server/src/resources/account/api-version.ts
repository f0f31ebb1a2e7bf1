import { Type } from 'typebox';
import type { Moment } from '../../core/clock.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Change } from '../../model/resource.ts';
import type { AccountRecord } from './fields.ts';

export const WantedVersion = Type.String({ maxLength: 40, description: 'The date of a newer version.' });

/** The time in which an upgrade of the API version can be rolled back (spec, limits). */
const rollbackSeconds = 72 * 3600;

/** `POST /v1/account/api_version`: sets the version of responses to requests without `Service-Version`. */
export function upgrade(
  current: AccountRecord,
  caller: Caller,
  { api_version: wanted }: { api_version: string },
): Change<AccountRecord> {
  const newer = caller.apiVersions.filter((version) => current.api_version !== null && version > current.api_version);
  if (!newer.includes(wanted)) {
    const choice = newer.length === 0 ? 'which is the latest' : `newer ones are ${newer.join(', ')}`;
    throw invalidParameter(
      'api_version',
      `You can only upgrade to a newer version of this API. The account is at ${current.api_version}, ${choice}.`,
    );
  }
  return {
    after: {
      ...current,
      api_version: wanted,
      api_version_previous: current.api_version,
      rollback_until: caller.nowSeconds + rollbackSeconds,
    },
  };
}

/**
 * Returns the end of the rollback period, or null after it. A past time would look like an offer. The field `api_version_previous` stays.
 */
export function rollbackUntil({ rollback_until: until }: AccountRecord, { nowSeconds }: Moment): number | null {
  return until !== null && nowSeconds < until ? until : null;
}

/** `POST /v1/account/api_version/rollback`: rolls the last upgrade back within 72 hours. */
export function rollBack(current: AccountRecord, { nowSeconds }: Caller): Change<AccountRecord> {
  const { api_version_previous: previous, rollback_until: until } = current;
  if (previous === null || until === null) {
    throw new ApiError(
      'status_transition_invalid',
      `The account is at ${current.api_version} and has no upgrade to roll back.`,
    );
  }
  if (nowSeconds >= until) {
    throw new ApiError(
      'rollback_expired',
      `The upgrade from ${previous} to ${current.api_version} could be rolled back until ${until} (Unix time), and is final now. To use the older version in a single request, send \`Service-Version: ${previous}\`.`,
    );
  }
  return { after: { ...current, api_version: previous, api_version_previous: null, rollback_until: null } };
}
