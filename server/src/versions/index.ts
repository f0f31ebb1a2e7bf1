import type { NonEmpty } from '../core/arrays.ts';
import type { ApiVersion } from './api-version.ts';
import { version20250901 } from './2025-09-01.ts';
import { version20260301 } from './2026-03-01.ts';
import { version20261101 } from './2026-11-01.ts';

/**
 * The API versions, the newest first. A line here makes a version known. `db/latest-version.ts` tells when clients may use it.
 */
export const apiVersions: NonEmpty<ApiVersion> = [version20261101, version20260301, version20250901];
