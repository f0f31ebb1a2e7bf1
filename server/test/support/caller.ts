import type { Caller } from '../../src/model/caller.ts';
import { parseRanges } from '../../src/core/target-addresses.ts';

/** Returns a caller for decisions that need neither ids nor secrets. */
export function callerAt(nowSeconds: number): Caller {
  return {
    mode: 'sandbox',
    nowSeconds,
    account: { api_version: '2026-11-01', default_provider: null },
    isOwnAccount: true,
    permissions: new Set(),
    keyExpiresAt: null,
    referencingServices: { provider_a: null, provider_b: null, provider_c: null, provider_d: null },
    knownPermissions: [],
    knownEventTypes: [],
    apiVersions: ['2026-11-01'],
    allowedTargets: parseRanges(''),
    retainedFromSeconds: 0,
    makeId: notNeeded,
    encrypt: notNeeded,
    makeSecret: notNeeded,
    makeKey: notNeeded,
  };
}

function notNeeded(): never {
  throw new Error('This decision makes neither ids nor secrets.');
}
