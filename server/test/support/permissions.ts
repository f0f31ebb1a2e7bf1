import { fewestOf, permissionsOf } from '../../src/model/permissions.ts';
import { resources } from '../../src/resources/index.ts';

/** What a secret key holds unless it was narrowed. */
export const allPermissions: readonly string[] = fewestOf(permissionsOf(resources));
