import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { permissionsOf } from '../../src/model/callers/permissions.ts';
import { resources } from '../../src/resources/index.ts';
import { furtherPermissions, readOnlyKinds, writableKinds } from '../support/permissions.ts';

const guide = readFileSync(new URL('../../../docs/guides/keys.md', import.meta.url), 'utf8');

test('are those of the lists for the tests when all kinds are served', () => {
  const listed = [
    ...writableKinds.flatMap((kind) => [`${kind}.read`, `${kind}.write`]),
    ...readOnlyKinds.map((kind) => `${kind}.read`),
    ...furtherPermissions,
  ];
  expect(
    listed.toSorted(),
    'Add the kind to `officeKinds`, `writableKinds` or `readOnlyKinds` in server/test/support/permissions.ts.',
  ).toEqual(permissionsOf(resources).toSorted());
});

/** Returns the names in a sentence, which stand between backticks. */
function namesOf(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name]) => name!).toSorted();
}

test('are all in the guide on keys', () => {
  const [, written, readOnly] =
    /The resources\s+are:\n\n([\s\S]*?)\n\nThere are \w+ other permissions: ([\s\S]*?)\.\n\n/.exec(guide)!;
  expect(namesOf(written!), 'Add the kind to "The resources are" in docs/guides/keys.md.').toEqual(
    writableKinds.toSorted(),
  );
  expect(namesOf(readOnly!), 'Add the permission to "other permissions" in docs/guides/keys.md.').toEqual(
    [...readOnlyKinds.map((kind) => `${kind}.read`), ...furtherPermissions].toSorted(),
  );
});
