import type { HttpContext } from '../context.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { routesOfPerson } from './person-routes.ts';
import { routesOfFiles } from './file-routes.ts';
import { routesOfApplications } from './application-routes.ts';
import { routesOfTenancies } from './tenancy-routes.ts';
import { routesOfMoney } from './money-routes.ts';

/**
 * Returns the routes of the portal. A record of another person does not exist for them. They take the same path as all requests, and need
 * features of the session instead of permissions.
 */
export function portalRoutes(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    ...routesOfPerson(context),
    ...routesOfFiles(context),
    ...routesOfApplications(context),
    ...routesOfTenancies(context),
    ...routesOfMoney(context),
  ];
}
