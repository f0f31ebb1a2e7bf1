import type Decoders from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { lookOf } from './picture-look.ts';
import { FileRefusal } from './refusal.ts';

/** Dots. A page of A4 that is scanned with 600 dots per inch has 35 million. */
const dotsMax = 40_000_000;

/** Dots of one side. The decoders keep some whole lines, and need a moment for each line. */
const sideMax = 32_767;

/** Bytes of an open picture. One with 16 bits per colour may have fewer dots, and one that appears step by step. */
const openBytesMax = 160_000_000;

/** Of a JPEG. The second is for a picture that becomes too large with the first. */
const qualities = [90, 75] as const;

const formats: Record<string, 'jpeg' | 'png'> = { 'image/jpeg': 'jpeg', 'image/png': 'png' };

/**
 * Makes a picture again from its dots, in its own format. It is upright, and its colours are those of screens (sRGB). Everything else is
 * left out, such as the metadata (EXIF, XMP, IPTC), comments and previews. Bytes behind the picture are left out, too.
 *
 * @throws {FileRefusal}
 */
export async function remakePicture(file: Buffer, contentType: string, bytesMax: number): Promise<Buffer> {
  const format = formats[contentType]!;
  const { bytes, orientation } = lookOf(file, format);
  const sharp = await loadSharp();
  // The header tells the size, and reading it opens no dots.
  const found = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw damaged();
    });
  checkSize(found, format);
  const upright = (): Sharp =>
    turned(sharp(bytes, { failOn: 'error', limitInputPixels: dotsMax, sequentialRead: true }), orientation);
  try {
    if (format === 'png') return ofSize(await upright().png({ compressionLevel: 9 }).toBuffer(), bytesMax);
    const made = await jpegOf(upright(), qualities[0], found);
    if (made.length <= bytesMax) return made;
    return ofSize(await jpegOf(upright(), qualities[1], found), bytesMax);
  } catch (error) {
    throw error instanceof FileRefusal ? error : damaged();
  }
}

/**
 * Returns a small copy of a picture that was made here, in its own format. It stands on white, as on paper.
 *
 * @param fit the largest sides, in dots. A smaller picture keeps its size.
 * @throws {FileRefusal}
 */
export async function shrinkPicture(
  bytes: Buffer,
  contentType: string,
  fit: { width: number; height: number },
): Promise<Buffer> {
  const sharp = await loadSharp();
  const small = sharp(bytes, { limitInputPixels: dotsMax, sequentialRead: true })
    .resize({ ...fit, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' });
  try {
    return await (
      contentType === 'image/png' ? small.png({ compressionLevel: 9 }) : small.jpeg({ quality: 90 })
    ).toBuffer();
  } catch {
    throw damaged();
  }
}

/** Turns a picture upright that was held so. A mirrored one is mirrored before it is turned. */
function turned(picture: Sharp, orientation: number): Sharp {
  const mirrored = [2, 5, 7].includes(orientation) ? picture.flop() : picture;
  if (orientation === 4) return mirrored.flip();
  const degrees = { 3: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation];
  return degrees === undefined ? mirrored : mirrored.rotate(degrees);
}

function jpegOf(picture: Sharp, quality: number, { chromaSubsampling: found }: Metadata): Promise<Buffer> {
  const chromaSubsampling = found === '4:4:4' ? '4:4:4' : '4:2:0';
  // Optimal codes would take twice the memory, to make the file a few percent smaller.
  return picture.jpeg({ quality, chromaSubsampling, optimizeCoding: false }).toBuffer();
}

/** Loads the decoders with the first picture. They can open JPEG and PNG, and nothing else. */
async function loadSharp(): Promise<typeof Decoders> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  return sharp;
}

function checkSize(found: Metadata, expected: string): void {
  const { format, width, height, channels, depth } = found;
  if (format !== expected) throw damaged();
  const dots = width * height;
  const perDot = channels * (depth === 'ushort' ? 2 : 1);
  if (Math.max(width, height) > sideMax) throw tooLong(width, height);
  if (dots > dotsMax || dots * (perDot + keptPerDot(found)) > openBytesMax) throw tooManyDots(width, height);
}

/** Returns the bytes for each dot that a decoder keeps beside the open picture. */
function keptPerDot({ format, channels, depth, isProgressive, chromaSubsampling }: Metadata): number {
  if (!isProgressive) return 0;
  // A JPEG is kept as numbers of two bytes, and an interlaced PNG as a second picture.
  if (format === 'jpeg') return 2 * (chromaSubsampling === '4:2:0' ? channels / 2 : channels);
  return channels * (depth === 'ushort' ? 2 : 1);
}

function ofSize(bytes: Buffer, bytesMax: number): Buffer {
  if (bytes.length <= bytesMax) return bytes;
  throw new FileRefusal(
    `\`file\` has more than ${bytesMax / 1024 / 1024} MB as it would be stored: without its metadata, and upright. Send a picture with fewer pixels.`,
  );
}

function tooManyDots(width: number, height: number): FileRefusal {
  return new FileRefusal(
    `\`file\` has ${width} × ${height} pixels. A picture has at most ${dotsMax / 1_000_000} million, and fewer with 16 bits per colour or if it is progressive. Make it smaller.`,
  );
}

function tooLong(width: number, height: number): FileRefusal {
  return new FileRefusal(
    `\`file\` has ${width} × ${height} pixels. A picture has at most 32,767 in a line, and as many lines. Cut it into several pictures.`,
  );
}

function damaged(): FileRefusal {
  return new FileRefusal(
    '`file` is a damaged or incomplete picture. Save it again as a JPEG or PNG, and send the new file.',
  );
}
