import type { File as FileRecord, RequestOptions, Tenure } from 'tenure';
import { nameOf } from '../../office/words.ts';

/** A file, with the person that a printed report is about. Null if that is not known. */
export type NamedFile = FileRecord & { about: string | null };

/** The newest checks, which printed reports are looked for in. */
const checksMax = 50;

/** The name that the server gives to a printed report: the id of its check. Later reports also have a number. */
const printed = /^(ref_[0-9A-Za-z]+)(?:-\d+)?\.pdf$/;

/** Finds out which people printed reports are about. The name of such a file is an id, which says nothing. */
export async function withPeople(
  tenure: Tenure,
  files: readonly FileRecord[],
  options: RequestOptions,
): Promise<NamedFile[]> {
  if (!files.some(isPrinted)) return files.map((file) => ({ ...file, about: null }));
  const { data } = await tenure.references.list({ limit: checksMax, expand: ['data.customer'] }, options);
  const people = new Map(data.map(({ id, customer }) => [id, nameOf(customer)]));
  return files.map((file) => ({ ...file, about: people.get(printed.exec(file.filename)?.[1] ?? '') ?? null }));
}

/** Returns what people call a file: its name, or whom the report is about. */
export function titleOf(file: NamedFile): string {
  if (!isPrinted(file)) return file.filename;
  return file.about === null ? 'Report of a check' : `Report about ${file.about}`;
}

function isPrinted({ filename }: FileRecord): boolean {
  return printed.test(filename);
}
