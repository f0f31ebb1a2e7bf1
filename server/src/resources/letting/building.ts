import { Type, type TString } from 'typebox';
import { jurisdictions } from '../../law/index.ts';
import { Flag, SingleLine, StoredLine } from '../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../model/inputs.ts';
import type { Fields, RecordOf } from '../../model/record.ts';
import { defineResource, exactly, type Change } from '../../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { inUse, recordInUse } from '../../model/traits/in-use.ts';
import { sumsUp } from '../../model/traits/sums-up.ts';

const country = { pattern: '^[A-Z]{2}$', examples: ['GB'], description: 'ISO 3166-1 alpha-2, such as `GB`.' };
const linesOf = (line: TString) => ({
  line1: described(line, 'House and street.'),
  line2: described(nullable(line), 'The second line. Null if there is none.'),
  city: described(line, 'Town or city.'),
  postal_code: described(line, 'The postal code, as it is written in the country.'),
});
const BuildingAddress = named(
  'BuildingAddress',
  'The address of a building.',
  closedObject({ ...linesOf(StoredLine), country: Type.String(country) }),
);
const inputLines = linesOf(SingleLine);
const BuildingAddressInput = named(
  'BuildingAddressInput',
  'The address of a building.',
  closedObject({
    ...inputLines,
    line2: Type.Optional(inputLines.line2),
    country: Type.String({ ...country, format: 'country' }),
  }),
);

export const Jurisdiction = named('Jurisdiction', 'The law that applies to a home.', oneOf(...jurisdictions));

const fields = {
  name: {
    column: 'text',
    schema: StoredLine,
    description: 'The name that your team uses for the building.',
    input: { on: 'both', required: true, schema: SingleLine },
  },
  address: {
    column: 'json',
    schema: BuildingAddress,
    description: 'The address of the building. Its units have the same one.',
    input: {
      on: 'both',
      required: true,
      schema: BuildingAddressInput,
      check: (address: { line2?: string | null }) => ({ ...address, line2: address.line2 ?? null }),
    },
  },
  jurisdiction: {
    column: 'text',
    schema: nullable(Jurisdiction),
    description:
      'The law that applies to homes here. Null means that of the account, `rules.ruleset`. Only `england` has checks yet.',
    input: { on: 'both' },
  },
  archived: {
    column: 'boolean',
    schema: Type.Boolean(),
    description: 'Whether your team no longer manages it.',
    input: { on: 'both', default: false },
  },
  unit_count: { column: 'integer', schema: Type.Integer(), shown: 'never', initial: 0 },
} satisfies Fields;

/** The members by which a search finds a home. */
export const addressMembers = [
  'name',
  'address.line1',
  'address.line2',
  'address.city',
  'address.postal_code',
] as const;

/** Returns an address in a line. Null without a building. */
export function addressOf(building: BuildingRecord | null): string | null {
  if (!building) return null;
  const { line1, line2, city, postal_code: postalCode } = building.address;
  return [line1, line2, city, postalCode].filter(Boolean).join(', ');
}

export type BuildingRecord = RecordOf<typeof fields>;

/** A house, or a block of flats. Each home in it is a unit. */
export const building = defineResource<BuildingRecord>(
  {
    object: 'building',
    prefix: 'bld',
    path: 'buildings',
    table: 'buildings',
    docs: {
      description: 'A house, or a block of flats. Each home in it is a unit, and a house of one home has one unit.',
      example: {
        record: {
          name: 'Coppergate',
          address: { line1: '12 Coppergate', line2: null, city: 'York', postal_code: 'YO1 9NR', country: 'GB' },
          jurisdiction: null,
          archived: false,
          metadata: { branch: 'york' },
        },
        before: { name: 'Copper Gate' },
      },
    },
    metadata: true,
    fields,
    filters: exactly({ archived: described(Flag, 'Only archived ones, or only the others.') }),
    create: createFromFields(fields, {
      example: {
        name: 'Coppergate',
        address: { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' },
      },
    }),
    update: updateFromFields(fields, { example: { name: 'Coppergate House' } }),
    delete: 'removes',
  },
  sumsUp([{ of: 'units', link: 'building', adapt: countUnit }]),
  inUse({
    check({ id, unit_count: units }: BuildingRecord) {
      if (units === 0) return;
      throw recordInUse(
        `The building ${id} has ${units} ${units === 1 ? 'unit' : 'units'}, so it cannot be deleted. Delete its units first, or archive it: \`{"archived": true}\`.`,
      );
    },
  }),
);

function countUnit(current: BuildingRecord, before: unknown, after: unknown): Change<BuildingRecord> {
  const delta = (after ? 1 : 0) - (before ? 1 : 0);
  return { after: delta === 0 ? current : { ...current, unit_count: current.unit_count + delta } };
}
