import { Type } from 'typebox';
import type { StoredRecord } from '../model/record.ts';
import { createFrom, defineResource, exactly, updateFrom } from '../model/resource.ts';
import { closedObject, oneOf } from '../model/schemas.ts';
import { storesFile } from '../model/traits/stores-file.ts';

const bytesMax = 10 * 1024 * 1024;

const Purpose = Type.Unsafe<string>({
  ...oneOf('reference_report', 'identity_document', 'income_evidence', 'tenancy_agreement', 'other'),
  description: 'What the file is for. The report of a reference is a `reference_report`.',
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
export const file = defineResource<FileRecord>(
  {
    object: 'file',
    prefix: 'file',
    path: 'files',
    table: 'files',
    docs: {
      description:
        'A document: the report of a reference, or evidence for one. What is told of it was found in its bytes, which `GET /v1/files/{id}/contents` answers.',
      example: {
        record: {
          purpose: 'reference_report',
          filename: 'report.pdf',
          size: 48_213,
          sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
          content_type: 'application/pdf',
          metadata: { order: '17' },
        },
        before: { metadata: {} },
      },
    },
    metadata: true,
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
      {
        summary: 'Upload a file',
        description:
          'Takes a form (`multipart/form-data`): `purpose`, `file`, and `metadata[key]` for each pair. Whatever its name and type, the file must be a PDF: it begins with `%PDF-` and its version, and has `%%EOF` in its last kilobyte. It has a minute to arrive. With an `Idempotency-Key`, the fields, the name and the hash of the bytes are what must be the same.',
        example: { purpose: 'reference_report', file: '%PDF-1.7 …', metadata: { order: '17' } },
      },
    ),
    update: updateFrom({}, (current) => ({ after: current }), { example: { metadata: { order: '17' } } }),
    delete: 'removes',
  },
  storesFile({ bytesMax, contentType: 'application/pdf', description: 'a PDF', isValid: isPdf }),
);

/** ISO 32000-1, 7.5: a PDF begins with its version and ends with a marker; readers take the marker anywhere in the last kilobyte. */
function isPdf(head: Buffer, tail: Buffer): boolean {
  return /^%PDF-[12]\.\d/.test(head.subarray(0, 8).toString('latin1')) && tail.includes('%%EOF');
}
