import { displayName, aOrAn, type ContentsRoute } from '../../route.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Contents } from '../../../model/traits/stores-file.ts';
import type { HttpContext } from '../../context.ts';
import { openFile, type StoredFile } from '../../response/download.ts';
import { load } from './load-record.ts';

/** Returns the download of a file. It needs a permission of its own, besides the one to read the record. */
export function contentsRoute(context: HttpContext, resource: Resource, contents: Contents): ContentsRoute {
  const name = displayName(resource.object);
  return {
    method: 'GET',
    operationId: `${resource.path}_contents`,
    docs: {
      summary: `Download ${aOrAn(resource)}`,
      description: `Returns the bytes of the ${name} as a download. It needs a permission of its own, because its contents are more sensitive than its record.`,
    },
    response: {
      kind: 'file',
      contentTypes: contents.types.map(({ contentType }) => contentType),
      description: `The ${name}, byte for byte.`,
    },
    path: `/v1/${resource.path}/:id/contents`,
    permission: `${resource.object}_contents.read`,
    object: resource.object,
    expandable: null,
    query: {},
    async open(request) {
      const record = await load(context, resource, request);
      return openFile(context, resource, record as StoredRecord & StoredFile);
    },
  };
}
