import { addDays } from '../../core/calendar.ts';
import type { Applications } from './applications.ts';
import type { Body, Calendar, Post } from './post.ts';
import type { Tenancies } from './tenancies.ts';

/** The holding deposits, by the application. */
export type Holdings = Record<'couple' | 'family' | 'withdrawn', string>;

/** The family's holding deposit becomes a part of its deposit. */
const familyHolding = 30_500;

function move(post: Post, id: string, operation: string, body: Body): Promise<Body> {
  return post(`${operation} ${id}`, `/v1/deposits/${id}/${operation}`, body);
}

/** Takes holding deposits. That of the couple reserves its home. One is canceled before any money comes. */
export async function holdHomes(post: Post, { daysFromNow }: Calendar, applications: Applications): Promise<Holdings> {
  const hold = async (name: keyof Applications, amount: number): Promise<string> => {
    const body = { type: 'holding', application: applications[name], amount };
    return (await post(`holding deposit ${name}`, '/v1/deposits', body)).id;
  };
  const receive = async (name: keyof Holdings, amount: number, days: number): Promise<string> => {
    const deposit = await hold(name, amount);
    const body = { deposit, amount, method: 'bank_transfer', received_on: daysFromNow(days) };
    await post(`holding payment ${name}`, '/v1/payments', body);
    return deposit;
  };
  // A unit has one holding deposit at a time, and the other application of this home comes first.
  await move(post, await hold('upheld', 25_000), 'cancel', {});
  return {
    couple: await receive('couple', 29_800, -3),
    family: await receive('family', familyHolding, -9),
    withdrawn: await receive('withdrawn', 25_000, -8),
  };
}

/** Takes the deposits of the tenancies, and brings them into each state. */
export async function secureTenancies(
  post: Post,
  { daysFromNow, month }: Calendar,
  tenancies: Tenancies,
  holdings: Holdings,
): Promise<void> {
  const agree = async (name: keyof Tenancies, amount: number): Promise<string> => {
    const body = { type: 'tenancy', tenancy: tenancies[name], amount };
    return (await post(`deposit ${name}`, '/v1/deposits', body)).id;
  };
  const pay = (name: keyof Tenancies, deposit: string, amount: number, day: string): Promise<Body> =>
    post(`deposit payment ${name}`, '/v1/payments', { deposit, amount, method: 'bank_transfer', received_on: day });
  const protect = async (deposit: string, day: string): Promise<void> => {
    const protection = { scheme: 'dps_custodial', scheme_reference: `DPS-${deposit.slice(-6)}`, protected_on: day };
    await move(post, deposit, 'protect', protection);
    await move(post, deposit, 'give_information', { given_on: day });
  };
  const secure = async (name: keyof Tenancies, amount: number, months: number): Promise<string> => {
    const deposit = await agree(name, amount);
    await pay(name, deposit, amount, month(months));
    await protect(deposit, addDays(month(months), 9));
    return deposit;
  };

  await secure('pets', 144_200, -15);
  await secure('sold', 121_100, -11);
  const deductions = [{ amount: 6_500, reason: 'cleaning', description: 'The oven and the carpets.' }];
  await move(post, await secure('before', 137_800, -13), 'propose_release', { deductions });
  const disputed = await secure('surrendered', 91_700, -9);
  await move(post, disputed, 'propose_release', { deductions });
  await move(post, disputed, 'dispute', { amount: 6_500, reference: 'ADR-2291' });
  // Marek's deposit was never protected, and a part of Ruth's is missing.
  await pay('unchecked', await agree('unchecked', 113_600), 113_600, month(-6));
  await pay('after', await agree('after', 137_800), 60_000, month(-4));

  const coming = await agree('coming', 152_800);
  await move(post, holdings.family, 'apply', {
    to: [{ deposit: coming, amount: familyHolding }],
    payer_consents: true,
  });
  await pay('coming', coming, 152_800 - familyHolding, daysFromNow(-1));
  await protect(coming, daysFromNow(0));
  await move(post, holdings.withdrawn, 'return', { returned_on: daysFromNow(0) });
}
