import { addDays } from '../../core/calendar.ts';
import { rentOf, type Home } from './homes.ts';
import type { Calendar, Post } from './post.ts';
import type { Tenancies } from './tenancies.ts';

/** The lets with rent of each month: their homes, and the month of their start. */
const lets = [
  ['pets', 'micklegate1', -14],
  ['leaving', 'micklegate2', -9],
  ['sold', 'fishergate1', -10],
  ['unchecked', 'fishergate3', -5],
] as const satisfies readonly (readonly [keyof Tenancies, Home, number])[];

/** What a payment has settled. */
interface Paid {
  id: string;
  allocations: { invoice: string }[];
}

/** Charges the rent by subscriptions and takes it, with arrears, a bounced payment, a credit and an increase. */
export async function collectRent(post: Post, { month }: Calendar, tenancies: Tenancies): Promise<void> {
  for (const [name, home, start] of lets) {
    const tenancy = tenancies[name];
    const { amount } = rentOf(home);
    const { id: subscription } = await post(`subscription ${name}`, '/v1/subscriptions', { tenancy });
    for (let index: number = start; index <= 0; index++) {
      // Marek is two months behind.
      if (name === 'unchecked' && index >= -1) continue;
      const day = month(index);
      const payment = (await post(`payment ${name} ${index}`, '/v1/payments', {
        tenancy,
        amount,
        method: 'standing_order',
        received_on: day,
        reference: `RENT ${home.toUpperCase()}`,
      })) as unknown as Paid;
      if (name === 'sold' && index === -4) await makeUpForBounced(post, { tenancy, amount, payment: payment.id, day });
      if (name === 'leaving' && index === -2)
        await post('credit', `/v1/invoices/${payment.allocations[0]!.invoice}/credit`, {
          amount: 5_000,
          reason: 'The boiler failed for three days.',
        });
    }
    if (name === 'pets')
      await post('increase', `/v1/subscriptions/${subscription}/change_amount`, {
        amount: amount + 4_000,
        effective_on: month(3),
        basis: 'section_13',
        served_on: month(0),
      });
  }
}

interface Bounced {
  tenancy: string;
  amount: number;
  payment: string;
  day: string;
}

/** The bank returns a payment, and the tenant pays a week later. */
async function makeUpForBounced(post: Post, { tenancy, amount, payment, day }: Bounced): Promise<void> {
  await post('bounce', `/v1/payments/${payment}/fail`, { code: 'insufficient_funds', message: 'Refer to drawer.' });
  const body = { tenancy, amount, method: 'bank_transfer', received_on: addDays(day, 7) };
  await post('payment after the bounce', '/v1/payments', body);
}
