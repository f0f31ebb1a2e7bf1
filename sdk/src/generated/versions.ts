// `npm run sdk` generates this file from `openapi/`. Do not edit it.

import type * as V20261101 from './2026-11-01.ts';
import type * as V20260301 from './2026-03-01.ts';
import type * as V20250901 from './2025-09-01.ts';

export type * from './2026-11-01.ts';

/** The version that the SDK sends unless you choose another one. */
export const newestVersion = '2026-11-01';

/** The versions of the API that this release of the SDK has types for. */
export type ApiVersion = '2026-11-01' | '2026-03-01' | '2025-09-01';

/** The resources of each version. */
export interface ResourcesOf {
  '2026-11-01': V20261101.Resources;
  '2026-03-01': V20260301.Resources;
  '2025-09-01': V20250901.Resources;
}

/** The events of each version, in responses and in deliveries. */
export interface EventOf {
  '2026-11-01': V20261101.Event;
  '2026-03-01': V20260301.Event;
  '2025-09-01': V20250901.Event;
}
