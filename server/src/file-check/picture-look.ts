import { FileRefusal } from './refusal.ts';

/** The part of a picture that tells how it looks. */
export interface Look {
  bytes: Buffer;
  /** How the picture was held, from 1 to 8 (EXIF 2.3, tag 0x0112). 1 is upright. */
  orientation: number;
}

/**
 * Leaves out what tells nothing of how a picture looks, in the same memory: texts, places, cameras and previews. The decoders would open
 * these. A file of 1 MB can have gigabytes of compressed texts. A directory of 60 kB that names itself takes 15 seconds.
 *
 * @throws {FileRefusal} if it is an animated PNG, or a JPEG of too many scans.
 */
export function lookOf(bytes: Buffer, format: 'jpeg' | 'png'): Look {
  return format === 'png' ? lookOfPng(bytes) : lookOfJpeg(bytes);
}

/** The chunks of a PNG with its colours and its density. Names in upper case are those of the chunks that every decoder needs (PNG 1.2, 3.3). */
const colourChunks = new Set(['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT', 'pHYs']);

function lookOfPng(bytes: Buffer): Look {
  const kept = new KeptBytes(bytes, 8);
  let orientation: number | null = null;
  let hasDots = false;
  for (let at = 8, next; at + 12 <= bytes.length; at = next) {
    next = at + 12 + bytes.readUInt32BE(at);
    const kind = bytes.toString('latin1', at + 4, at + 8);
    // Animations have it before their first dots.
    if (kind === 'acTL' && !hasDots) throw animated();
    hasDots ||= kind === 'IDAT';
    if (kind === 'eXIf') orientation ??= orientationIn(bytes.subarray(at + 8, next - 4));
    if (/^[A-Z]/.test(kind) || colourChunks.has(kind)) kept.keep(at, next);
  }
  return { bytes: kept.all(), orientation: orientation ?? 1 };
}

/** The markers of a JPEG (ITU-T T.81, table B.1). */
const markers = { temporary: 0x01, firstRestart: 0xd0, end: 0xd9, scan: 0xda, exif: 0xe1, comment: 0xfe };

/** The markers that applications have for themselves. Those with the density, the colours (ICC) and the way of colours (Adobe) are kept. */
const applicationMarkers = { first: 0xe0, last: 0xef, kept: new Set([0xe0, 0xe2, 0xee]) };

const exifName = 'Exif\0\0';

/** Decoders go through all dots once for each scan. Programs that make the smallest files write some 20 scans. */
const scansMax = 64;

function lookOfJpeg(bytes: Buffer): Look {
  const kept = new KeptBytes(bytes, 2);
  let orientation: number | null = null;
  let scans = 0;
  for (let at = 2, next; at < bytes.length; at = next) {
    // Decoders skip other bytes before a marker, and repeated first bytes of it.
    at = bytes.indexOf(0xff, at);
    while (at >= 0 && bytes[at + 1] === 0xff) at++;
    if (at < 0 || at + 2 > bytes.length) break;
    const marker = bytes[at + 1]!;
    // Phones put videos and second pictures behind the end.
    if (marker === markers.end) {
      kept.keep(at, at + 2);
      break;
    }
    const hasLength = marker > markers.end || (marker > markers.temporary && marker < markers.firstRestart);
    next = at + 2 + (hasLength && at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0);
    if (marker === markers.scan) {
      if (++scans > scansMax) throw tooManyScans();
      next = endOfScan(bytes, next);
    }
    if (marker === markers.exif && bytes.toString('latin1', at + 4, at + 10) === exifName)
      orientation ??= orientationIn(bytes.subarray(at + 10, next));
    if (hasLength && !isLeftOut(marker)) kept.keep(at, next);
  }
  return { bytes: kept.all(), orientation: orientation ?? 1 };
}

function isLeftOut(marker: number): boolean {
  const { first, last, kept } = applicationMarkers;
  return marker === markers.comment || (marker >= first && marker <= last && !kept.has(marker));
}

/** Returns where the dots of a scan end: at the next marker that is no restart. A zero follows each 0xff that is a part of the dots. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1] ?? 0;
    const isRestart = marker >= markers.firstRestart && marker < markers.firstRestart + 8;
    if (marker !== 0 && marker !== 0xff && !isRestart) return at;
  }
  return bytes.length;
}

/** Returns the orientation in the first directory of an EXIF text (TIFF 6.0, section 2), or null. */
function orientationIn(exif: Buffer): number | null {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => {
    if (at + 2 > exif.length) return 0;
    return isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at);
  };
  const long = (at: number): number =>
    isLittle ? short(at) + 65_536 * short(at + 2) : 65_536 * short(at) + short(at + 2);
  const directory = long(4);
  for (let index = 0; index < short(directory); index++) {
    const entry = directory + 2 + 12 * index;
    if (short(entry) !== 0x0112) continue;
    const found = short(entry + 8);
    return found >= 1 && found <= 8 ? found : null;
  }
  return null;
}

/** Parts of a buffer, which are moved to its beginning. */
class KeptBytes {
  readonly #bytes: Buffer;
  #length: number;

  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes;
    this.#length = length;
  }

  keep(from: number, to: number): void {
    this.#bytes.copyWithin(this.#length, from, to);
    this.#length += Math.min(to, this.#bytes.length) - from;
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

function animated(): FileRefusal {
  return new FileRefusal(
    '`file` is an animated picture. Send a still one, because only its first frame would be kept.',
  );
}

function tooManyScans(): FileRefusal {
  return new FileRefusal(
    `\`file\` is a progressive JPEG with more than ${scansMax} scans. Save it again in a simpler form, and send the new file.`,
  );
}
