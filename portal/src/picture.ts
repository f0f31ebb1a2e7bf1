/* A photo of a phone can be larger than the server takes. It is made smaller here, and stays readable. */

/** Dots along the longer edge of a photo that was too large. The text of a page can still be read. */
const readableEdge = 3_000;

/** Dots along the longer edge of a preview. */
const previewEdge = 480;

/** Returns a smaller JPEG of a photo. Null if this browser cannot read it. */
export async function smaller(file: File): Promise<File | null> {
  const canvas = await drawn(file, readableEdge);
  const blob = canvas && (await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85)));
  return blob && new File([blob], file.name.replace(/\.\w+$/, '') + '.jpg', { type: 'image/jpeg' });
}

/** Returns the address of a small picture of a photo, for `src`. Null if the file is none, or this browser cannot read it. */
export async function previewOf(file: File): Promise<string | null> {
  if (!file.type.startsWith('image/')) return null;
  return (await drawn(file, previewEdge))?.toDataURL('image/jpeg', 0.8) ?? null;
}

async function drawn(file: File, edge: number): Promise<HTMLCanvasElement | null> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) return null;
  const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}
