import { Type } from 'typebox';
import { isErased } from '../../model/change.ts';
import { LinkedId } from '../../model/schemas/fields.ts';
import type { StoredRecord } from '../../model/record.ts';
import { actionFrom, createFrom, defineResource, exactly, updateFrom } from '../../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { judgesLinks } from '../../model/traits/judges-links.ts';
import { limitedByLink } from '../../model/traits/limited.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { emailOf, fileLink, linkInput, newFileLink } from './link.ts';

const bytesMax = 10 * 1024 * 1024;

export const pdfType = 'application/pdf';

const Purpose = Type.Unsafe<string>({
  ...named(
    'FilePurpose',
    'The purpose of a file.',
    oneOf(
      'reference_report',
      'identity_document',
      'income_evidence',
      'right_to_rent',
      'tenancy_agreement',
      'deposit_certificate',
      'prescribed_information',
      'notice',
      'other',
    ),
  ),
  description: 'The purpose of the file. The report of a reference is a `reference_report`.',
});
const Filename = Type.String({ minLength: 1, maxLength: 255, description: 'The filename that the sender gave it.' });
const Size = Type.Integer({ minimum: 1, maximum: bytesMax, description: 'The size in bytes.' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 hash of the contents, in hex.' });
const ContentType = Type.Unsafe<string>({
  ...oneOf(pdfType, 'image/jpeg', 'image/png'),
  description: 'The type of the contents, detected from the bytes.',
});

export type FileRecord = StoredRecord & {
  purpose: string;
  filename: string;
  size: number;
  sha256: string;
  content_type: string;
  customer: string | null;
  reference: string | null;
};

/** The most files that a person can send in the portal. So no link fills the storage of an account. */
export const filesOfPersonMax = 50;

/** A document or a picture: the report of a reference, or evidence for one. */
export const file = defineResource<FileRecord>(
  {
    object: 'file',
    prefix: 'file',
    path: 'files',
    table: 'files',
    docs: {
      description:
        'A document or a picture: the report of a reference, or evidence for one. It is a PDF, a JPEG or a PNG. The server detects its size, hash and type from its bytes. `GET /v1/files/{id}/contents` returns the bytes. A picture is stored upright and without its metadata, such as the place where it was taken. So its size and hash are not those of the file that you sent.',
      example: {
        record: {
          purpose: 'reference_report',
          filename: 'report.pdf',
          size: 48_213,
          sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
          content_type: 'application/pdf',
          customer: null,
          reference: null,
          metadata: { order: '17' },
        },
        before: { metadata: {} },
      },
    },
    metadata: true,
    fields: {
      purpose: { column: 'text', schema: Purpose },
      filename: { column: 'text', schema: Filename, erased: erasedName },
      size: { column: 'integer', schema: Size },
      sha256: { column: 'text', schema: Sha256 },
      content_type: { column: 'text', schema: ContentType },
      customer: {
        column: 'text',
        schema: nullable(LinkedId),
        description: 'The id of the person that sent the file in the portal. Null for any other file.',
      },
      reference: {
        column: 'text',
        schema: nullable(LinkedId),
        description:
          'The id of the reference for which the file is evidence. The erasure of the reference deletes the file. Null if you sent none.',
      },
    },
    links: { customer: 'customers', reference: 'references' },
    filters: exactly({ purpose: Purpose, customer: LinkedId, reference: LinkedId }),
    create: createFrom(
      {
        purpose: Purpose,
        reference: Type.Optional(
          described(
            LinkedId,
            'The id of the reference for which the file is evidence. If you leave it out, no erasure of a reference finds the file as evidence.',
          ),
        ),
        // Measured while the bytes arrived.
        file: closedObject({ filename: Filename, size: Size, sha256: Sha256, content_type: ContentType }),
      },
      ({ purpose, reference, file: { filename, size, sha256, content_type } }) => ({
        purpose,
        filename,
        size,
        sha256,
        content_type,
        customer: null,
        reference: reference ?? null,
      }),
      {
        summary: 'Upload a file',
        description:
          'Send a form (`multipart/form-data`) with `purpose`, `file`, and `metadata[key]` for each pair. For evidence, also send its `reference`. The file must be a PDF, a JPEG or a PNG. Its name and type do not matter, only its bytes. A PDF must begin with `%PDF-` and its version, and have `%%EOF` in its last kilobyte. A PDF with scripts or attachments is refused. A picture has up to 40 million pixels, and does not move. The server stores it upright and without its metadata. The file must arrive within a minute. To retry with an `Idempotency-Key`, send the same fields, filename and bytes.',
        example: { purpose: 'reference_report', file: '%PDF-1.7 …', metadata: { order: '17' } },
      },
    ),
    update: updateFrom({}, (current) => ({ after: current }), { example: { metadata: { order: '17' } } }),
    delete: 'removes',
    actions: {
      links: actionFrom(
        linkInput,
        (current, caller, input) => {
          const link = newFileLink(current, caller, input);
          return {
            after: current,
            also: [{ resource: fileLink, before: null, after: link }],
            emails: emailOf(link, current.filename, caller),
            response: link,
          };
        },
        {
          summary: 'Make a link to a file',
          description:
            'Makes a link with which a person without an account opens this file. The response has the `url` of the link, which is never shown again. With `recipient_email`, the link is also sent by e-mail, and `email_status` shows how that goes. Your key needs `file_contents.read` besides `files.write`.',
          example: { recipient: 'Mr Okafor, landlord', recipient_email: 'okafor@example.com', expires_in: 259_200 },
          permissions: ['files.write', 'file_contents.read'],
          returns: fileLink,
          showsSecrets: true,
        },
      ),
    },
  },
  limitedByLink({ link: 'customer', most: filesOfPersonMax }),
  // After the erasure of a reference, no duty looks for new evidence.
  judgesLinks({
    reference: (linked) =>
      isErased(linked)
        ? 'The person of this reference was erased, so it takes no evidence. Leave `reference` out.'
        : null,
  }),
  storesFile({
    bytesMax,
    description: 'a PDF, a JPEG or a PNG',
    types: [
      {
        contentType: pdfType,
        // It has a version at its beginning, and an end marker in the last kilobyte (ISO 32000-1, 7.5).
        beginsAs: (head) => /^%PDF-[12]\.\d/.test(head.subarray(0, 8).toString('latin1')),
        endsAs: (tail) => tail.includes('%%EOF'),
        handling: 'inspected',
      },
      { contentType: 'image/jpeg', beginsAs: beginsWith(0xff, 0xd8, 0xff), endsAs: () => true, handling: 'remade' },
      {
        contentType: 'image/png',
        beginsAs: beginsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
        endsAs: () => true,
        handling: 'remade',
      },
    ],
  }),
);

/** Returns a name that tells nothing of a person, and keeps the ending of a picture. */
function erasedName(known: unknown): string {
  const [, ending] = /\.(jpe?g|png)$/i.exec(String(known)) ?? [];
  return `erased.${ending?.toLowerCase() ?? 'pdf'}`;
}

function beginsWith(...signature: number[]): (head: Buffer) => boolean {
  return (head) => head.subarray(0, signature.length).equals(Buffer.from(signature));
}
