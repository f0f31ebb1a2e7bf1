import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** The colours of the four corners of a test picture, from the left above to the right below. */
const corners = ['red', 'green', 'blue', 'white'] as const;

export type Corner = (typeof corners)[number];

const dots: Record<Corner, [number, number, number]> = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
};

/** Makes a picture of four coloured quarters, wider than high. */
export function fourQuarters(width = 64, height = 48): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = corners[(y * 2 < height ? 0 : 2) + (x * 2 < width ? 0 : 1)]!;
      data.set(dots[corner], (y * width + x) * 3);
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

export function jpegOf(width?: number, height?: number): Promise<Buffer> {
  return fourQuarters(width, height).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer();
}

/** Returns a picture of chance, which no format makes much smaller: about a byte for each dot. */
export function largeJpeg(width: number, height: number): Promise<Buffer> {
  const data = randomBytes(width * height * 3);
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();
}

export function pngOf(width?: number, height?: number): Promise<Buffer> {
  return fourQuarters(width, height).png().toBuffer();
}

/** Returns the sizes of a picture as it is stored, and its corners without any turn. */
export async function seenIn(picture: Buffer): Promise<{ width: number; height: number; corners: Corner[] }> {
  const { data, info } = await sharp(picture, { autoOrient: false })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const cornerAt = (x: number, y: number): Corner => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * channels;
    const found = [data[at]!, data[at + 1]!, data[at + 2]!];
    const distance = (corner: Corner): number =>
      dots[corner].reduce((sum, value, index) => sum + Math.abs(value - found[index]!), 0);
    return corners.toSorted((left, right) => distance(left) - distance(right))[0]!;
  };
  return {
    width,
    height,
    corners: [cornerAt(0.2, 0.2), cornerAt(0.8, 0.2), cornerAt(0.2, 0.8), cornerAt(0.8, 0.8)],
  };
}

/** Puts a comment behind the beginning of a JPEG. */
export function withComment(jpeg: Buffer, comment: string): Buffer {
  return withSegments(jpeg, segment(0xfe, Buffer.from(comment)));
}

/** Returns a segment of a JPEG. */
export function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Puts segments behind the beginning of a JPEG. */
export function withSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** Returns an EXIF text with an orientation alone. */
export function exifOf(orientation: number, isLittle = false): Buffer {
  const exif = Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0', 'latin1');
  exif.writeUInt16BE(orientation, 18);
  if (!isLittle) return exif;
  const swapped = Buffer.from(exif);
  swapped.write('II*\0', 'latin1');
  for (const [at, length] of [
    [4, 4],
    [8, 2],
    [10, 2],
    [12, 2],
    [14, 4],
    [18, 2],
  ] as const)
    swapped.set(exif.subarray(at, at + length).toReversed(), at);
  return swapped;
}

/** Returns a chunk of a PNG, with its checksum. */
export function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Puts chunks behind the header of a PNG. */
export function withChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  const headEnd = 8 + 25;
  return Buffer.concat([png.subarray(0, headEnd), ...chunks, png.subarray(headEnd)]);
}

/** Makes a small PNG of many black dots. */
export function bombOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit for each dot.
  header[8] = 1;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Makes a progressive JPEG of one grey block, with so many scans: one for each of its numbers. */
export function jpegOfScans(count: number): Buffer {
  const oneCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  const scans = Array.from({ length: count }, (_, number) => [
    segment(0xda, Buffer.from([1, 1, 0, number % 64, number % 64, 0])),
    // The code for nothing, and ones to the end of the byte.
    Buffer.from([0x7f]),
  ]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array.from({ length: 64 }, () => 1)])),
    segment(0xc2, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
    segment(0xc4, Buffer.from([0x00, ...oneCode])),
    segment(0xc4, Buffer.from([0x10, ...oneCode])),
    ...scans.flat(),
    Buffer.from([0xff, 0xd9]),
  ]);
}
