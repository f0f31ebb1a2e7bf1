import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookOf } from '../../src/file-check/picture-look.ts';
import { chunk, exifOf, jpegOf, pngOf, segment, withChunks, withSegments } from '../support/pictures.ts';

/* The part of a picture that a decoder opens. */

const orientations = [1, 2, 3, 4, 5, 6, 7, 8];

test.each(orientations)('reads how a picture was held when its orientation is %i', async (orientation) => {
  for (const isLittle of [false, true]) {
    const exif = exifOf(orientation, isLittle);
    const png = withChunks(await pngOf(), chunk('eXIf', exif));
    expect(lookOf(png, 'png')).toEqual({ bytes: await pngOf(), orientation });
    const jpeg = withSegments(await jpegOf(), segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif])));
    expect(lookOf(jpeg, 'jpeg')).toEqual({ bytes: await jpegOf(), orientation });
  }
});

test('takes a picture as upright when its directory is cut off, names no orientation, or names none that exists', async () => {
  const whole = exifOf(6);
  const others = [
    ...Array.from({ length: whole.length - 1 }, (_, end) => whole.subarray(0, Math.min(end, 18))),
    exifOf(0),
    exifOf(9),
    Buffer.from('MM\0*\xff\xff\xff\xff', 'latin1'),
    Buffer.concat([Buffer.from('MM\0*\0\0\0\x08\xff\xff', 'latin1'), Buffer.alloc(1_000)]),
  ];
  for (const exif of others) {
    expect(lookOf(withChunks(await pngOf(), chunk('eXIf', exif)), 'png').orientation).toBe(1);
    const named = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]));
    expect(lookOf(withSegments(await jpegOf(), named), 'jpeg').orientation).toBe(1);
  }
});

test('keeps the dots and the colours, and nothing else, when a PNG has any other chunks', async () => {
  const png = await pngOf();
  const kept = ['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'tRNS', 'pHYs'];
  const left = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'eXIf', 'sPLT', 'hIST', 'oFFs', 'teSt'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...kept, ...left), fc.uint8Array({ maxLength: 40 })), { maxLength: 20 }),
      async (parts) => {
        const chunks = parts.map(([kind, data]) => ({ kind, bytes: chunk(kind, Buffer.from(data)) }));
        const sent = withChunks(png, ...chunks.map(({ bytes }) => bytes));
        const expected = chunks.filter(({ kind }) => kept.includes(kind)).map(({ bytes }) => bytes);
        expect(lookOf(sent, 'png').bytes).toEqual(withChunks(png, ...expected));
      },
    ),
  );
});

test('keeps the dots and the colours, and nothing else, when a JPEG has any other segments', async () => {
  const jpeg = await jpegOf();
  const kept = [0xe0, 0xe2, 0xee, 0xdb, 0xc4];
  const left = [0xe1, 0xe3, 0xe9, 0xed, 0xef, 0xfe];
  // Decoders skip bytes before a marker, and repeated first bytes of it.
  const before = fc.constantFrom('', '\xff', '\xff\xff', '\0', 'abc', '\xff\0', '\xff\xd0', '\xff\x01');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(before, fc.constantFrom(...kept, ...left), fc.uint8Array({ maxLength: 40 })), {
        maxLength: 20,
      }),
      async (parts) => {
        const segments = parts.map(([skipped, marker, data]) => ({
          skipped: Buffer.from(skipped, 'latin1'),
          marker,
          bytes: segment(marker, Buffer.from(data)),
        }));
        const sent = withSegments(jpeg, ...segments.flatMap(({ skipped, bytes }) => [skipped, bytes]));
        const expected = segments.filter(({ marker }) => kept.includes(marker)).map(({ bytes }) => bytes);
        expect(lookOf(sent, 'jpeg').bytes).toEqual(withSegments(jpeg, ...expected));
      },
    ),
  );
});

test('returns a part of the bytes when they are no picture', () => {
  fc.assert(
    fc.property(fc.constantFrom('jpeg' as const, 'png' as const), fc.uint8Array({ minLength: 8 }), (format, bytes) => {
      const { bytes: left, orientation } = lookOf(Buffer.from(bytes), format);
      expect(left.length).toBeLessThanOrEqual(bytes.length);
      expect(orientations).toContain(orientation);
    }),
  );
});
