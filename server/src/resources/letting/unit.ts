import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { addDays } from '../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { isWithin, judge, refuseFailed } from '../../law/index.ts';
import { CalendarDate, Flag, LinkedId, SingleLine, StoredLine } from '../../model/schemas/fields.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { createFromFields, updateFromFields } from '../../model/inputs.ts';
import type { Fields, RecordOf, StoredRecord } from '../../model/record.ts';
import type { Related } from '../../model/related.ts';
import { AskedRent, Rent, RentInput } from '../../model/schemas/money-schema.ts';
import { defineResource, exactly, type Change } from '../../model/resource.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { inUse, recordInUse } from '../../model/traits/in-use.ts';
import { linksHere } from '../../model/traits/links-here.ts';
import { searchable } from '../../model/traits/searchable.ts';
import { sumsUp } from '../../model/traits/sums-up.ts';
import { addressMembers, addressOf, type BuildingRecord } from './building.ts';
import { heldOf, type DepositRecord } from './deposit/fields.ts';

const UnitType = named('UnitType', 'The kind of a home.', oneOf('flat', 'house', 'studio', 'room', 'other'));
const UnitStatus = named(
  'UnitStatus',
  'The state of a home, from its tenancies and holding deposits.',
  oneOf('available', 'reserved', 'let_agreed', 'occupied'),
);

/** A tenancy that holds the unit, or has held it. */
export interface Let {
  tenancy: string;
  /** That of the tenancy. A tenancy in notice that has not begun counts as `signed`, because it does not hold the home yet. */
  status: 'signed' | 'active' | 'notice' | 'ended';
  start_date: string;
  /** The last day. Null if it is not known. */
  end_date: string | null;
}

/** Ended tenancies beyond these are only in the list of tenancies. The constraint of the database knows all. */
const endedMax = 100;

const fields = {
  building: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of its building.',
    input: { on: 'create', required: true },
  },
  name: {
    column: 'text',
    schema: StoredLine,
    description: 'The name within the building, such as `Flat 2`.',
    input: { on: 'both', required: true, schema: SingleLine },
  },
  type: {
    column: 'text',
    schema: UnitType,
    description: 'The kind of the home. A house that is let by the room has a unit for each room.',
    input: { on: 'create', default: 'flat' },
  },
  bedrooms: {
    column: 'integer',
    schema: nullable(Type.Integer({ minimum: 0, maximum: 50 })),
    description: 'The number of bedrooms. Null if it is not known.',
    input: { on: 'both' },
  },
  max_occupants: {
    column: 'integer',
    schema: nullable(Type.Integer({ minimum: 1, maximum: 100 })),
    description: 'The number of people that may live there. Null if it is not known.',
    input: { on: 'both' },
  },
  rent: {
    column: 'json',
    schema: nullable(Rent),
    description: 'The rent that is asked. Null if it is not known.',
    input: { on: 'both', schema: RentInput },
  },
  on_market: {
    column: 'boolean',
    schema: Type.Boolean(),
    description: 'Whether it is advertised. In England, an advertised home must have a `rent`.',
    input: { on: 'both', default: false },
  },
  archived: {
    column: 'boolean',
    schema: Type.Boolean(),
    description: 'Whether your team no longer lets it. An archived home is not on the market.',
    input: { on: 'both', default: false },
  },
  status: {
    column: 'text',
    schema: UnitStatus,
    description:
      '`occupied`: a tenancy has begun. `let_agreed`: one is signed that has not begun. `reserved`: a holding deposit is held. `available`: none of these.',
    initial: 'available',
  },
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the tenancy that holds it now, from its first day to its end. Null if there is none.',
    initial: null,
  },
  next_tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the tenancy that starts next. Null if there is none.',
    initial: null,
  },
  holding_deposit: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the holding deposit that reserves it. Null if there is none.',
    initial: null,
  },
  available_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description:
      'The day after the last tenancy. Null if the end of that tenancy is unknown, or if the home was never let.',
    initial: null,
  },
  /** The holding deposits that are held for it. The law allows one. */
  held_deposits: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  lets: { column: 'json', schema: Type.Unsafe<Let[]>(Type.Array(Type.Object({}))), shown: 'never', initial: [] },
  /** The lowest rent since it was put on the market. A higher bid is refused. */
  lowest_asked: { column: 'json', schema: nullable(AskedRent), shown: 'never', initial: null },
} satisfies Fields;

export type UnitRecord = RecordOf<typeof fields>;

const ofFields = {
  create: createFromFields<UnitRecord>(fields, {
    example: {
      building: 'bld_0VbZq9aK00mT3cUuP8sXw4',
      name: 'Flat 2',
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
    },
    refusals: ['check_failed', 'parameters_exclusive'],
  }),
  update: updateFromFields<UnitRecord>(fields, {
    description: 'A home that a tenancy or a holding deposit holds cannot be archived.',
    example: { on_market: true },
    refusals: ['check_failed', 'parameters_exclusive', 'record_in_use'],
  }),
};

/** A home that is let as a whole: a flat, a house or a room. */
export const unit = defineResource<UnitRecord>(
  {
    object: 'unit',
    prefix: 'unit',
    path: 'units',
    table: 'units',
    docs: {
      description:
        'A home that is let as a whole: a flat, a house or a room. Its `status` follows from its tenancies and holding deposits, in the same transaction. No two tenancies hold a unit on the same day.',
      example: {
        record: {
          building: 'bld_0VbZq9aK00mT3cUuP8sXw4',
          name: 'Flat 2',
          type: 'flat',
          bedrooms: 2,
          max_occupants: 3,
          rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
          on_market: true,
          archived: false,
          status: 'available',
          tenancy: null,
          next_tenancy: null,
          holding_deposit: null,
          available_on: null,
          metadata: {},
        },
        before: { on_market: false },
        after: {
          reserved: { status: 'reserved', holding_deposit: 'dep_0VbZq9aK00mT3cUuP8sXw4' },
          let_agreed: { status: 'let_agreed', next_tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4' },
          occupied: { status: 'occupied', tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4' },
        },
      },
    },
    metadata: true,
    fields,
    links: { building: 'buildings', tenancy: 'tenancies', next_tenancy: 'tenancies', holding_deposit: 'deposits' },
    filters: exactly({
      building: LinkedId,
      tenancy: LinkedId,
      type: UnitType,
      status: UnitStatus,
      on_market: described(Flag, 'Only units that are advertised, or only the others.'),
      archived: described(Flag, 'Only archived units, or only the others.'),
    }),
    counted: ['status'],
    verbs: {
      available: 'No tenancy and no holding deposit holds it any more.',
      reserved: 'A holding deposit holds it.',
      let_agreed: 'A tenancy of the unit was signed.',
      occupied: 'A tenancy of the unit has begun.',
    },
    create: {
      ...ofFields.create,
      reads: ['building'],
      decide: (input, caller, related) => {
        const made = withoutAdvert(ofFields.create.decide(input, caller, related), input);
        return withAsked(null, made, caller, related);
      },
    },
    update: {
      ...ofFields.update,
      reads: ['building'],
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        if (after.archived && !current.archived) requireUnheld(after);
        return { after: withAsked(current, withoutAdvert(after, input), caller, related) };
      },
    },
    delete: 'removes',
  },
  linksHere(['building']),
  searchable({
    members: ['name', 'metadata'],
    linked: { building: addressMembers },
    title: ({ name }: UnitRecord, related) =>
      [name, related.one<BuildingRecord>('building')?.name].filter(Boolean).join(', '),
    subtitle: (_, related) => addressOf(related.one<BuildingRecord>('building')),
  }),
  sumsUp([
    { of: 'tenancies', link: 'unit', adapt: adaptToTenancy, verbs: verbsOf },
    { of: 'deposits', link: 'unit', adapt: adaptToDeposit, verbs: verbsOf },
  ]),
  inUse({
    check({ id, lets, holding_deposit: deposit }: UnitRecord) {
      const known = lets.at(-1)?.tenancy ?? deposit;
      if (known === null) return;
      throw recordInUse(
        `The unit ${id} was let or reserved: see ${known}. It cannot be deleted, because its history must stay. Archive it instead: \`{"archived": true}\`.`,
      );
    },
  }),
);

/** @throws {ApiError} `record_in_use` if a tenancy or a holding deposit holds the unit. */
function requireUnheld({ id, tenancy, next_tenancy: next, holding_deposit: deposit }: UnitRecord): void {
  const holder = tenancy ?? next ?? deposit;
  if (holder === null) return;
  const mend = holder === deposit ? 'Return, retain or apply' : 'End or cancel';
  throw recordInUse(`${holder} holds the unit ${id}, so it cannot be archived. ${mend} ${holder} first.`, 'archived');
}

/** @throws {ApiError} `parameter_invalid` if the unit is archived, so that it cannot be let or reserved. */
export function requireUnarchived({ id, archived }: UnitRecord, param: string): void {
  if (!archived) return;
  throw invalidParameter(param, `The unit ${id} is archived. Send \`archived: false\` to it, or choose another one.`);
}

/**
 * Takes an archived unit off the market.
 *
 * @throws {ApiError} `parameters_exclusive` for an archived unit that is to be on the market.
 */
function withoutAdvert<Unit extends Pick<UnitRecord, 'archived' | 'on_market'>>(
  after: Unit,
  { on_market: asked }: { on_market?: boolean | null },
): Unit {
  if (!after.archived || !after.on_market) return after;
  if (asked)
    throw new ApiError(
      'parameters_exclusive',
      'An archived unit is not on the market. Send `archived: false` too, or leave `on_market` out.',
      { param: 'on_market' },
    );
  return { ...after, on_market: false };
}

/**
 * Checks the asked rent. Notes the lowest one since the unit was put on the market, and the time.
 *
 * @throws {ApiError} `check_failed` for `rent_stated`.
 */
function withAsked<Unit extends Pick<UnitRecord, 'rent' | 'on_market' | 'lowest_asked'>>(
  current: UnitRecord | null,
  after: Unit,
  caller: Caller,
  related: Related,
): Unit {
  const { rent, on_market: onMarket } = after;
  const isAsked = onMarket && (!current?.on_market || rent !== current.rent);
  if (!isAsked) return after;
  const { jurisdiction } = related.one<BuildingRecord>('building')!;
  refuseFailed(
    judge(caller.account.rules, 'advertise', caller.today, { jurisdiction, type: 'assured', onMarket, rent }),
  );
  const earlier = current?.on_market ? current.lowest_asked : null;
  const isLower = rent !== null && (earlier?.currency !== rent.currency || isWithin(rent, earlier));
  const lowest = isLower ? rent : earlier;
  if (lowest === null) return { ...after, lowest_asked: null };
  // A rent that is sent again is no new advert.
  const isSame = current?.on_market === true && isDeepStrictEqual({ ...rent }, { ...current.rent });
  return { ...after, lowest_asked: isSame ? earlier : { ...lowest, asked_at: caller.nowSeconds } };
}

type TenancyOfUnit = StoredRecord & {
  status: string;
  activated_at: number | null;
  start_date: string;
  end_date: string | null;
};

/** Updates the unit after a write to one of its tenancies. */
function adaptToTenancy(
  current: UnitRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<UnitRecord> {
  const [was, is] = [before, after].map((tenancy) => tenancy && letOf(tenancy as TenancyOfUnit));
  if (!was && !is) return { after: current };
  const others = current.lets.filter(({ tenancy }) => tenancy !== (before ?? after)!.id);
  const lets = [...others, ...(is ? [is] : [])].sort(byStart);
  const ended = lets.filter(({ status }) => status === 'ended').slice(-endedMax);
  return {
    after: rolledUp({ ...current, lets: [...ended, ...lets.filter(({ status }) => status !== 'ended')].sort(byStart) }),
  };
}

/** Updates the unit after a write to one of its holding deposits. */
function adaptToDeposit(
  current: UnitRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<UnitRecord> {
  const { id } = (after ?? before)!;
  const deposit = after as DepositRecord | null;
  const isHeld = deposit?.type === 'holding' && heldOf(deposit) > 0;
  const { held_deposits: known } = current;
  if (isHeld === known.includes(id)) return { after: current };
  const held = isHeld ? [...known, id] : known.filter((other) => other !== id);
  return { after: rolledUp({ ...current, held_deposits: held, holding_deposit: held[0] ?? null }) };
}

/** Returns the event of a new status. When one tenancy follows another, the unit is occupied before and after. */
function verbsOf({ status: was }: UnitRecord, { status }: UnitRecord): string[] {
  return status === was ? [] : [status];
}

function letOf({ id, status, activated_at: activatedAt, start_date, end_date }: TenancyOfUnit): Let | null {
  if (status !== 'signed' && status !== 'active' && status !== 'notice' && status !== 'ended') return null;
  const hasYetToBegin = status === 'notice' && activatedAt === null;
  return { tenancy: id, status: hasYetToBegin ? 'signed' : status, start_date, end_date };
}

function byStart(one: Let, other: Let): number {
  return one.start_date < other.start_date ? -1 : 1;
}

/** Sets the fields that follow from the tenancies and the holding deposit. */
function rolledUp(changed: UnitRecord): UnitRecord {
  const { lets, holding_deposit: deposit } = changed;
  const holder = lets.find(({ status }) => status === 'active' || status === 'notice');
  const next = lets.find(({ status }) => status === 'signed');
  const status = holder ? 'occupied' : next ? 'let_agreed' : deposit === null ? 'available' : 'reserved';
  const end = lets.at(-1)?.end_date ?? null;
  return {
    ...changed,
    status,
    tenancy: holder?.tenancy ?? null,
    next_tenancy: next?.tenancy ?? null,
    available_on: end === null ? null : addDays(end, 1),
  };
}

/** Returns the tenancy that holds the unit on one of these days, or null. An end of null is open. */
export function holderBetween(
  { lets }: UnitRecord,
  { id, start_date: start, end_date: end }: { id: string; start_date: string; end_date: string | null },
): Let | null {
  const overlaps = (other: Let): boolean =>
    (end === null || other.start_date <= end) && (other.end_date === null || start <= other.end_date);
  return lets.find((other) => other.tenancy !== id && overlaps(other)) ?? null;
}

/** Returns another holding deposit that is held for the unit. Null if there is none. */
export function otherHeldDeposit({ held_deposits: held }: UnitRecord, ownId: string | null): string | null {
  return held.find((id) => id !== ownId) ?? null;
}
