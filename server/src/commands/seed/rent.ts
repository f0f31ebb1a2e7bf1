import { addDays } from '../../core/calendar.ts';
import { rentOf, type Home } from './homes.ts';
import type { Calendar, Post } from './post.ts';
import type { Tenancies } from './tenancies.ts';

/** The lets with rent of each month: their homes, and the month of their start. */
const lets = [
  ['pets', 'micklegate1', -11],
  ['leaving', 'micklegate2', -9],
  ['sold', 'fishergate1', -10],
  ['unchecked', 'fishergate3', -5],
] as const satisfies readonly (readonly [keyof Tenancies, Home, number])[];

/** Demands the rent of each month and takes it, with arrears, a bounced payment and a credit. */
export async function collectRent(post: Post, { month }: Calendar, tenancies: Tenancies): Promise<void> {
  for (const [name, home, start] of lets) {
    const tenancy = tenancies[name];
    const { amount } = rentOf(home);
    for (let index: number = start; index <= 0; index++) {
      const day = month(index);
      const period = { start: day, end: addDays(month(index + 1), -1) };
      const { id: invoice } = await post(`invoice ${name} ${index}`, '/v1/invoices', {
        tenancy,
        lines: [{ type: 'rent', description: `Rent from ${period.start} to ${period.end}`, amount, period }],
        due_on: day,
        finalize: true,
      });
      // Marek is two months behind.
      if (name === 'unchecked' && index >= -1) continue;
      const { id: payment } = await post(`payment ${name} ${index}`, '/v1/payments', {
        tenancy,
        amount,
        method: 'standing_order',
        received_on: day,
        reference: `RENT ${home.toUpperCase()}`,
      });
      if (name === 'sold' && index === -4) await makeUpForBounced(post, { tenancy, amount, payment, day });
      if (name === 'leaving' && index === -2)
        await post('credit', `/v1/invoices/${invoice}/credit`, {
          amount: 5_000,
          reason: 'The boiler failed for three days.',
        });
    }
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
