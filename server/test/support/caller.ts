import type { Caller } from '../../src/model/callers/caller.ts';
import { today } from '../../src/core/calendar.ts';
import { defaultRules, defaultTimeZone } from '../../src/core/vocabulary/law-rules.ts';
import { parseRanges } from '../../src/core/addresses/address-ranges.ts';

/** Returns a caller for decisions that need neither ids nor secrets. */
export function callerAt(nowSeconds: number): Caller {
  return {
    mode: 'sandbox',
    nowSeconds,
    realSeconds: nowSeconds,
    person: null,
    requireConfirmation: () => {},
    account: {
      name: 'Northern Homes',
      api_version: '2026-11-01',
      default_provider: null,
      providers_with_credentials: [],
      time_zone: defaultTimeZone,
      rules: defaultRules,
      payment_provider: null,
      invoice_prefix: 'INV',
    },
    today: today(nowSeconds, defaultTimeZone),
    isOwnAccount: true,
    actorId: 'key_0VbZq7hM00eR5tBvNx1Zs9',
    actorAccountId: 'acct_0VbZq7hM00eR5tBvNx1Zs9',
    actorName: null,
    isAgent: false,
    isAutomated: false,
    permissions: new Set(),
    keyExpiresAt: null,
    referencingServices: { provider_a: null, provider_b: null, provider_c: null, provider_d: null },
    knownPermissions: [],
    knownEventTypes: [],
    lackingForEvents: () => null,
    stepOperations: [],
    recordSchemaOf: () => null,
    apiVersions: ['2026-11-01'],
    allowedTargets: parseRanges(''),
    firstEmailStatus: null,
    retainedFromSeconds: 0,
    makeId: notNeeded,
    encrypt: notNeeded,
    makeSecret: notNeeded,
    makeLink: notNeeded,
    makeKey: notNeeded,
  };
}

function notNeeded(): never {
  throw new Error('This decision makes neither ids nor secrets.');
}
