import { Type, type Static } from 'typebox';
import { closedObject, named, oneOf } from './make.ts';

/** The largest amount of money, in the smallest unit of its currency. */
export const amountMax = 9_999_999_999;

/** An interval of payments. */
export const Interval = named('Interval', 'An interval of payments.', oneOf('week', 'month', 'year'));

const members = {
  amount: Type.Integer({
    minimum: 0,
    maximum: amountMax,
    description: 'In the smallest unit of the currency: 95000 is 950.00 pounds.',
  }),
  currency: Type.String({
    pattern: '^[a-z]{3}$',
    examples: ['gbp'],
    description: 'The currency (ISO 4217) in lower case: `gbp`.',
  }),
  interval: Type.Unsafe<'week' | 'month' | 'year'>({
    ...Interval,
    description: 'The interval at which the amount is due.',
  }),
};

/** Only input must have a known currency: stored records may be older than this rule. */
export const CurrencyInput = Type.Unsafe<string>({ ...members.currency, format: 'currency' });

/** The rent of a home, as applications and units have it. */
export const Rent = named('Rent', 'The rent of a home.', closedObject(members));
export const RentInput = named(
  'RentInput',
  'The rent of a home.',
  closedObject({ ...members, currency: CurrencyInput }),
);
export type Rent = Static<typeof Rent>;

/** A rent asked for a home, and the time of the last advert. Records of earlier releases have no time. */
export const AskedRent = closedObject({ ...members, asked_at: Type.Optional(Type.Integer()) });
