import { ApiError } from '../core/errors.ts';
import { latestVersion, versions } from '../versions/index.ts';

/**
 * The version a request is answered in: exactly a date that is known, or none was asked for.
 *
 * @throws {ApiError} `api_version_invalid`: guessing a near date would answer in a shape nobody asked for.
 */
export function chooseVersion(header: string | undefined): string {
  if (header === undefined) return latestVersion;
  if (versions.includes(header)) return header;
  throw new ApiError(
    'api_version_invalid',
    `\`Service-Version: ${header.slice(0, 40)}\` is not a version of this API. Known are ${versions.join(', ')}.`,
  );
}
