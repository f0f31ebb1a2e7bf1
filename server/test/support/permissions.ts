import { fewestOf, permissionsOf } from '../../src/model/callers/permissions.ts';
import { resources } from '../../src/resources/index.ts';

/** The permissions of a secret key that was not narrowed. */
export const allPermissions: readonly string[] = fewestOf(permissionsOf(resources));

/*
 * The kinds of record by the permissions for them, written by hand. The matrices of keys and of roles judge the server by these lists. So
 * the lists must not follow from its rules. `test/model/permissions.test.ts` finds a missing kind.
 */

/** The kinds of the office. Every role reads them, and operators write them. */
export const officeKinds = [
  'references',
  'applications',
  'buildings',
  'units',
  'guarantors',
  'tenancies',
  'deposits',
  'invoices',
  'subscriptions',
  'payments',
  'bank_lines',
  'customers',
  'files',
  'file_links',
  'portal_sessions',
  'workflow_runs',
] as const;

/** The kinds that a key can write. */
export const writableKinds = [
  ...officeKinds,
  'retention_holds',
  'webhook_endpoints',
  'workflows',
  'api_keys',
  'accounts',
] as const;

/** The kinds that a key can only read. */
export const readOnlyKinds = ['payment_imports', 'approval_requests', 'events', 'logs'] as const;

/** The permissions that are of no kind, or of a part of its records. */
export const furtherPermissions = ['file_contents.read'] as const;
