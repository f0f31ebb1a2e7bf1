import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { LinkedId } from '../../src/model/schemas/fields.ts';
import { checkedKinds } from '../../src/model/check-kinds.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { defineResource, type Definition, type Resource } from '../../src/model/resource.ts';
import type { Trait } from '../../src/model/trait.ts';
import { aboutAccount } from '../../src/model/traits/about-account.ts';
import { erasable } from '../../src/model/traits/erasable.ts';
import { personalTexts } from '../../src/model/traits/personal-texts.ts';
import { nestedUnder } from '../../src/model/traits/nested-under.ts';
import { sumsUp } from '../../src/model/traits/sums-up.ts';
import { resources } from '../../src/resources/index.ts';

const tenant = { column: 'text', schema: LinkedId } as const;

/** Lists the real kinds of record and a further one. */
function withInspection(more: Partial<Definition<StoredRecord>> = {}, ...traits: Trait[]): readonly Resource[] {
  const core = { object: 'inspection', prefix: 'isp', path: 'inspections', table: 'inspections' } as const;
  return checkedKinds([
    ...resources,
    defineResource<StoredRecord>({ ...core, fields: { tenant }, links: { tenant: 'customers' }, ...more }, ...traits),
  ]);
}

describe('the list of kinds of record', () => {
  test('accepts a link when it names a listed kind', () => {
    expect(withInspection().at(-1)).toMatchObject({ object: 'inspection' });
    expect(() => checkedKinds(resources)).not.toThrow();
  });

  test.each(['customer', 'custmers', 'unit', ''])('throws when a link names %j, which is no kind', (path) => {
    expect(() => withInspection({ links: { tenant: path } })).toThrow(
      `\`links.tenant\` of inspection names \`${path}\``,
    );
  });

  test.each<[string, Partial<Definition<StoredRecord>>, string]>([
    ['id prefix', { prefix: 'cus' }, 'customer and inspection have the same `prefix`: cus'],
    ['object', { object: 'customer' }, 'customer and customer have the same `object`'],
    ['path', { path: 'customers' }, 'customer and inspection have the same `path`'],
    ['table', { table: 'customers' }, 'customer and inspection have the same `table`'],
  ])('throws when two kinds have the same %s', (_, more, message) => {
    expect(() => withInspection(more)).toThrow(message);
  });

  test.each(['CUS', 'is_p', 'i1', ''])('throws when no id can begin with the prefix %j', (prefix) => {
    expect(() => withInspection({ prefix })).toThrow(`The prefix of inspection, \`${prefix}\`,`);
  });

  test.each<[string, Trait, string]>([
    [
      'sumsUp',
      sumsUp([{ of: 'refrences', link: 'application', adapt: (after) => ({ after }) }]),
      '`sumsUp` of inspection',
    ],
    [
      'sumsUp',
      sumsUp([{ of: 'references', link: 'application', adapt: (after) => ({ after }) }]),
      'does not link to it',
    ],
    ['personalTexts', personalTexts({ links: ['person'], texts: {}, inputs: {} }), '`person`, which is no link'],
    [
      'personalTexts',
      personalTexts({ links: [], person: 'person', texts: {}, inputs: {} }),
      '`person`, which is no link',
    ],
    [
      'personalTexts',
      personalTexts({ links: [], texts: { note: () => null }, inputs: {} }),
      '`note`, which is no field',
    ],
    ['erasable', erasable({ link: 'person', files: [], decide: (after) => ({ after }) }), '`person`, which is no link'],
    ['aboutAccount', aboutAccount({ path: 'event', column: 'account' }), '`aboutAccount` of inspection'],
    ['nestedUnder', nestedUnder({ columns: { event: 'event' } }), '`nestedUnder` of inspection names `event`'],
  ])('throws when the trait %s names a kind or a link that does not exist', (_, trait, message) => {
    expect(() => withInspection({}, trait)).toThrow(message);
  });

  test('throws when an action reads records of a kind that does not exist', () => {
    const body = Type.Object({ tenant: LinkedId });
    const read = { body, names: { tenant: 'customer' }, decide: (after: StoredRecord) => ({ after }) };
    expect(() => withInspection({ actions: { read } })).toThrow('`names` of inspection names `customer`');
  });
});
