import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const projectDir = join(import.meta.dirname, '../../..');

/** The longest first. CI prints the ten slowest files at its end. */
const slowestFiles = JSON.parse(readFileSync(join(import.meta.dirname, '../slowest-files.json'), 'utf8')) as string[];

/**
 * Begins the slowest files first, so that no worker waits for them at the end. A clean clone has no earlier durations, and vitest would begin
 * the largest files first.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = slowestFiles.indexOf(relative(projectDir, moduleId));
  return place === -1 ? slowestFiles.length : place;
}
