import { ApiError } from '../../core/errors.ts';
import { closedObject, described, oneOf } from '../../model/schemas/make.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { file, filesOfPersonMax, type FileRecord } from '../../resources/file/index.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { decideCreation } from '../write/decisions.ts';
import { countFiles } from './find.ts';
import { listOfPerson, paging } from './lists.ts';
import { viewerOf } from './own-records.ts';
import { fileObject, pageOf } from './objects.ts';
import { read, write } from './route.ts';
import { fileView } from './views.ts';

/** The purposes that a person's files can have. The others are the office's. */
const Purpose = described(
  oneOf('identity_document', 'income_evidence', 'right_to_rent', 'other'),
  'What the file is evidence of.',
);

/** Returns the routes about the files that the person has sent. */
export function routesOfFiles(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'files_list',
        path: '/files',
        features: ['documents'],
        docs: { summary: 'List the files that the person has sent' },
        response: pageOf(fileObject),
      },
      paging,
      (reading, request, query) => listOfPerson(reading, request, file, query, async (record) => fileView(record)),
    ),
    write(
      {
        name: 'files_create',
        path: '/files',
        features: ['documents'],
        docs: {
          summary: 'Send a file',
          example: { purpose: 'identity_document', file: 'passport.jpg' },
          description: `Takes a PDF, a JPEG or a PNG, at most ${filesOfPersonMax} of a person. The office sees it.`,
          refusals: [...(file.create!.refusals ?? []), 'limit_reached'],
        },
        response: fileObject,
      },
      closedObject({ purpose: Purpose, file: file.create!.body.properties.file! }),
      {
        locks: (request) => [viewerOf(request).customerId],
        async decide(request, input, caller, deciding) {
          const viewer = viewerOf(request);
          if ((await countFiles(deciding.reader, viewer)) >= filesOfPersonMax)
            throw new ApiError(
              'limit_reached',
              `You have sent ${filesOfPersonMax} files, the most that this page takes. Ask your letting agent how to send more.`,
            );
          const { changes, ...rest } = await decideCreation(deciding, file, request, input, caller);
          const [made, ...others] = changes;
          if (!made.after || made.before) throw new Error('Bug! The creation of a file made none.');
          return { ...rest, changes: [{ ...made, after: { ...made.after, customer: viewer.customerId } }, ...others] };
        },
        render: async (_, record) => fileView(record as FileRecord),
        upload: { contents: storesFile.of(file)!, prefix: file.prefix },
      },
    ),
  ];
}
