import { Type } from 'typebox';
import { patient } from '../../../core/limits/fair-queue.ts';
import { newRecord } from '../../../model/change.ts';
import type { Resource } from '../../../model/resource.ts';
import { closedObject, oneOf } from '../../../model/schemas/make.ts';
import type { FileImport, ReadRows } from '../../../model/traits/imports-file.ts';
import type { HttpContext } from '../../context.ts';
import type { WriteRoute } from '../../route.ts';

/** Imports leave half of the time to other requests. */
const restFactor = 1;

/**
 * Returns the upload of a file that makes a record. All imports of a process take turns. Those of one account must, because they may make the
 * same lines.
 */
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
    inTurn: (request, execute) =>
      context.importQueue.runAndRest(request.payer, request.bodyBytes ?? patient, restFactor, execute),
    async decide(request, _, caller) {
      const { file } = request;
      if (!file) throw new Error('Bug! An import has no file.');
      const made = newRecord(context.ids.make(resource.prefix), request.accountId);
      const read: ReadRows = (statement) => context.reader.query(statement);
      const { after, also = [] } = await fileImport.decide(made, file, caller, read);
      return { changes: [{ resource, before: null, after }, ...also] };
    },
  };
}
