import { deflateSync } from 'node:zlib';
import { pdfOf } from './files.ts';

/** Makes a small PDF that readers can open: one empty page, and what the catalog has besides. */
export function pdfWith(catalog = '', ...others: (string | Buffer)[]): Buffer {
  const objects = [
    `1 0 obj << /Type /Catalog /Pages 2 0 R ${catalog} >> endobj`,
    '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
    '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj',
    ...others,
    'trailer << /Root 1 0 R >>',
  ];
  return pdfOf(Buffer.concat(objects.flatMap((object) => [Buffer.from(object), Buffer.from('\n')])));
}

/** Makes an object stream (ISO 32000-2, 7.5.7). */
export function objectStream(
  objects: readonly string[],
  {
    pack = deflateSync,
    filter = '/Filter /FlateDecode',
    type = '/Type /ObjStm',
  }: { pack?: (bytes: Buffer) => Buffer; filter?: string; type?: string } = {},
): Buffer {
  const offsets = objects.map((_, index) => objects.slice(0, index).join(' ').length + (index > 0 ? 1 : 0));
  const head = `${offsets.map((offset, index) => `${20 + index} ${offset}`).join(' ')} `;
  const bytes = pack(Buffer.from(head + objects.join(' '), 'latin1'));
  return Buffer.concat([
    Buffer.from(
      `9 0 obj << ${type} /N ${objects.length} /First ${head.length} ${filter} /Length ${bytes.length} >> stream\r\n`,
    ),
    bytes,
    Buffer.from('\r\nendstream endobj'),
  ]);
}
