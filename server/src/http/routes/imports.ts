import { Type } from 'typebox';
import { patient } from '../../core/fair-queue.ts';
import { newRecord } from '../../model/change.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject, oneOf } from '../../model/schemas.ts';
import type { FileImport } from '../../model/traits/imports-file.ts';
import type { HttpContext } from '../context.ts';
import type { WriteRoute } from '../route.ts';

/** A decision is about a third of the processor time of an import. So imports leave half of the time to other requests. */
const restFactor = 5;

/** Returns the upload of a file that makes a record. Imports of one account take turns, because they may make the same lines. */
export function importRoute(context: HttpContext, resource: Resource, fileImport: FileImport): WriteRoute {
  const { path, permission, docs, bytesMax, contentType, description } = fileImport;
  return {
    method: 'POST',
    operationId: path.replaceAll('/', '_'),
    docs,
    response: { kind: 'record', resource, secrets: 'never' },
    path: `/v1/${path}`,
    permission,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    // The facts of the file, which were measured while the bytes arrived.
    body: closedObject({
      file: closedObject({
        filename: Type.String({ minLength: 1, maxLength: 255 }),
        size: Type.Integer({ minimum: 0, maximum: bytesMax }),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        content_type: oneOf(contentType),
      }),
    }),
    upload: {
      contents: {
        bytesMax,
        types: [{ contentType, beginsAs: () => true, endsAs: () => true, handling: 'kept' }],
        description,
      },
      prefix: null,
    },
    showsSecrets: false,
    secretMembers: [],
    propagationDelayMs: 0,
    locks: () => [resource.path],
    async decide(request, _, caller) {
      const { file } = request;
      if (!file) throw new Error('Bug! An import has no file.');
      const made = newRecord(context.ids.make(resource.prefix), request.accountId);
      const decide = () => fileImport.decide(made, file, caller, (statement) => context.reader.query(statement));
      const { after, also = [] } = await context.importQueue.runAndRest(request.payer, patient, restFactor, decide);
      return { changes: [{ resource, before: null, after }, ...also] };
    },
  };
}
