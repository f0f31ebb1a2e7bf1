import { Type } from 'typebox';
import {
  closedObject,
  createFrom,
  defineResource,
  exactly,
  oneOf,
  updateFrom,
  type StoredRecord,
} from '../core/resource.ts';

const bytesMax = 10 * 1024 * 1024;

const Purpose = Type.Unsafe<string>({
  ...oneOf('reference_pdf', 'identity_document', 'income_evidence', 'tenancy_agreement', 'other'),
  description: 'What the file is for. The report of a reference is a `reference_pdf`.',
});
const Filename = Type.String({ minLength: 1, maxLength: 255, description: 'The name that the sender gave it.' });
const Size = Type.Integer({ minimum: 1, maximum: bytesMax, description: 'In bytes.' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 hash of the contents, in hex.' });
const ContentType = Type.Unsafe<string>({
  ...oneOf('application/pdf'),
  description: 'What the contents are, as found in them and not as the sender called them.',
});

export type FileRecord = StoredRecord & {
  purpose: string;
  filename: string;
  size: number;
  sha256: string;
  content_type: string;
};

/** A document: the report of a reference, or evidence for one. */
export const file = defineResource<FileRecord>({
  object: 'file',
  prefix: 'file',
  path: 'files',
  table: 'files',
  metadata: true,
  contents: { bytesMax, contentType: 'application/pdf', description: 'a PDF', isValid: isPdf },
  fields: {
    purpose: { column: 'text', schema: Purpose },
    filename: { column: 'text', schema: Filename, erased: () => 'erased.pdf' },
    size: { column: 'integer', schema: Size },
    sha256: { column: 'text', schema: Sha256 },
    content_type: { column: 'text', schema: ContentType },
  },
  filters: exactly({ purpose: Purpose }),
  create: createFrom(
    {
      purpose: Purpose,
      // What was found out about the bytes while they came.
      file: closedObject({ filename: Filename, size: Size, sha256: Sha256, content_type: ContentType }),
    },
    ({ purpose, file: { filename, size, sha256, content_type } }) => ({
      purpose,
      filename,
      size,
      sha256,
      content_type,
    }),
  ),
  update: updateFrom({}, (current) => ({ after: current })),
  delete: 'removes',
});

/** ISO 32000-1, 7.5: a PDF begins with its version and ends with a marker; readers take the marker anywhere in the last kilobyte. */
function isPdf(head: Buffer, tail: Buffer): boolean {
  return /^%PDF-[12]\.\d/.test(head.subarray(0, 8).toString('latin1')) && tail.includes('%%EOF');
}
