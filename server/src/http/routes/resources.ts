import { activityRoute } from './activity.ts';
import { emailRoutes } from './emails.ts';
import { contentsRoute } from './records/contents.ts';
import { clockRoutes } from './sandbox-clock.ts';
import { importRoute } from './records/imports.ts';
import { erasurePreviewRoute } from './records/erasure-preview.ts';
import type { Route } from '../route.ts';
import { sealedContentsRoute } from './records/sealed-contents.ts';
import { referencingProvidersRoute } from './referencing-providers.ts';
import { rulesetRoute } from './rulesets.ts';
import { invoicePdfRoute } from './records/invoice-pdf.ts';
import { searchRoute } from './search.ts';
import { statementRoute } from './records/statements.ts';
import { streamRoute } from './event-stream.ts';
import { testHelperRoutes } from './test-helpers.ts';
import { workflowTestRoute } from './workflow-test.ts';
import { versionRoutes } from './api-versions.ts';
import type { HttpContext } from '../context.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { importsFile } from '../../model/traits/imports-file.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { streamed } from '../../model/traits/streamed.ts';
import { listRoute, listRoutesBelow, retrieveRoute } from './records/resource-reads.ts';
import { actionRoutesOnOthers, createRoute, updateRoute, actionRoute } from './records/resource-writes.ts';
import { deleteRoute, eraseRoute } from './records/resource-deletions.ts';
import { ownRoutes } from './account.ts';

/** Returns every operation: those of the resources, those about activity and API versions, and those of a sandbox. */
export function routesOf(context: HttpContext): Route[] {
  const { sandboxClock } = context;
  const routes = [...routesOfResources(context), ...testHelperRoutes(context)];
  return [
    ...routes,
    activityRoute(context),
    rulesetRoute(context),
    referencingProvidersRoute(context),
    statementRoute(context),
    invoicePdfRoute(context),
    searchRoute(context),
    sealedContentsRoute(context),
    erasurePreviewRoute(context),
    workflowTestRoute(context),
    ...emailRoutes(context),
    ...versionRoutes(context, routes),
    ...(sandboxClock ? clockRoutes(context, sandboxClock) : []),
  ];
}

function routesOfResources(context: HttpContext): Route[] {
  return context.resources.flatMap((resource) => {
    const nesting = nestedUnder.of(resource);
    if (nesting) {
      return [
        ...listRoutesBelow(context, resource, nesting),
        ...actionRoutesOnOthers(context, resource, nesting.actions ?? {}),
      ];
    }
    const own = ownAccount.of(resource);
    const contents = storesFile.of(resource);
    const erasure = erasable.of(resource);
    const fileImport = importsFile.of(resource);
    return [
      ...(own ? ownRoutes(context, resource, own) : []),
      listRoute(context, resource),
      ...(streamed.has(resource) ? [streamRoute(context, resource)] : []),
      retrieveRoute(context, resource),
      ...(contents ? [contentsRoute(context, resource, contents)] : []),
      ...(resource.create ? [createRoute(context, resource, resource.create)] : []),
      ...(fileImport ? [importRoute(context, resource, fileImport)] : []),
      ...(resource.update && !own ? [updateRoute(context, resource, resource.update)] : []),
      ...(resource.delete ? [deleteRoute(context, resource, resource.delete)] : []),
      ...(erasure ? [eraseRoute(context, resource, erasure)] : []),
      ...Object.entries(resource.actions ?? {}).map(([name, action]) => actionRoute(context, resource, name, action)),
    ];
  });
}
