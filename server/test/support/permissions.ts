import { fewestOf, permissionsOf } from '../../src/model/permissions.ts';
import { resources } from '../../src/resources/index.ts';

/** The permissions of a secret key that was not narrowed. */
export const allPermissions: readonly string[] = fewestOf(permissionsOf(resources));
