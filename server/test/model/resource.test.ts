import { Type, type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { LinkedId } from '../../src/model/schemas/fields.ts';
import type { Fields, StoredRecord } from '../../src/model/record.ts';
import { defineResource, type Definition, type Resource } from '../../src/model/resource.ts';
import { described, nullable } from '../../src/model/schemas/make.ts';
import type { Trait } from '../../src/model/trait.ts';
import { erasable } from '../../src/model/traits/erasable.ts';
import { storesFile } from '../../src/model/traits/stores-file.ts';

/** Defines a kind of record with these fields. */
function inspection(fields: Fields, more: Partial<Definition<StoredRecord>> = {}, ...traits: Trait[]): Resource {
  const core = { object: 'inspection', prefix: 'cus', path: 'inspections', table: 'inspections' } as const;
  return defineResource<StoredRecord>({ ...core, ...more, fields }, ...traits);
}

describe('the definition of a kind of record', () => {
  test.each<[string, TSchema]>([
    ['one record', LinkedId],
    ['one record or none', nullable(LinkedId)],
    ['one record, with a description', described(LinkedId, 'The tenant.')],
    ['several records', Type.Array(LinkedId)],
  ])('throws when a field with the id of %s is not in `links`', (_, schema) => {
    const fields: Fields = { tenant: { column: 'text', schema } };
    expect(() => inspection(fields)).toThrow(/`tenant` of inspection .*`links`/);
    expect(() => inspection(fields, { links: { unit: 'units' } })).toThrow(/`tenant`/);
    expect(inspection(fields, { links: { tenant: 'customers' } }).links).toEqual({ tenant: 'customers' });
  });

  test('throws when a field is personal and no erasure reaches its kind', () => {
    const fields: Fields = { remarks: { column: 'text', schema: Type.String(), erased: () => '' } };
    expect(() => inspection(fields)).toThrow(/`remarks` of inspection .*`delete: 'erases'` or the trait `erasable`/);
    expect(() => inspection(fields, { delete: 'removes' })).toThrow(/`remarks`/);

    const erasure = erasable({ link: 'tenant', files: [], decide: (after) => ({ after }) });
    const contents = storesFile({
      bytesMax: 1,
      types: [{ contentType: 'text/plain', beginsAs: Boolean, endsAs: Boolean, handling: 'kept' }],
      description: 'a text',
    });
    for (const kind of [
      inspection(fields, { delete: 'erases' }),
      inspection(fields, {}, erasure),
      inspection(fields, {}, contents),
    ])
      expect(kind.fields.remarks).toBe(fields.remarks);
  });
});
