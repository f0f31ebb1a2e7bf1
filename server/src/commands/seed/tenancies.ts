import { addDays } from '../../core/calendar.ts';
import type { Applications } from './applications.ts';
import { rentOf, type Home, type Homes } from './homes.ts';
import type { People } from './people.ts';
import type { Body, Calendar, Post } from './post.ts';

export type Tenancies = Record<
  'pets' | 'leaving' | 'before' | 'after' | 'surrendered' | 'sold' | 'unchecked' | 'coming',
  string
>;

interface Plan extends Body {
  home: Home;
  customers: string[];
  start_date: string;
}

/** Drafts the tenancies of a year, and signs most of them. A start in the past becomes `active` when the next days are broken. */
export async function signTenancies(
  post: Post,
  { daysFromNow, month }: Calendar,
  homes: Homes,
  people: People,
  applications: Applications,
): Promise<Tenancies> {
  const draft = async (name: string, { home, ...terms }: Plan): Promise<string> => {
    const body = { unit: homes[home], rent: rentOf(home), ...terms };
    return (await post(`tenancy ${name}`, '/v1/tenancies', body)).id;
  };
  const sign = async (name: string, plan: Plan, signedOn: string): Promise<string> => {
    const id = await draft(name, { statement_given_on: signedOn, ...plan });
    await post(`sign ${name}`, `/v1/tenancies/${id}/sign`, { signed_on: signedOn });
    return id;
  };
  const signPast = (name: string, home: Home, customers: string[], months: number, more: Body = {}): Promise<string> =>
    // The keys are handed over weeks after the signing. The month before is long past on any day.
    sign(name, { home, customers, start_date: month(months), ...more }, month(months - 1));

  const before = await signPast('before', 'micklegate3', [people.jess], -12);
  // Its end must be known before the next tenancy of the home is signed.
  await post('notice before', `/v1/tenancies/${before}/give_notice`, {
    by: 'tenant',
    served_on: month(-7),
    ends_on: addDays(month(-4), -1),
  });
  const tenancies = {
    pets: await signPast('pets', 'micklegate1', [people.hannah, people.daniel], -14),
    leaving: await signPast('leaving', 'micklegate2', [people.sophie], -9),
    before,
    after: await signPast('after', 'micklegate3', [people.ruth], -3, { replaces: before }),
    surrendered: await signPast('surrendered', 'micklegate6', [people.callum], -8),
    sold: await signPast('sold', 'fishergate1', [people.moira], -10),
    unchecked: await signPast('unchecked', 'fishergate3', [people.marek], -5),
  };

  const { friends, family } = applications;
  const coming = { home: 'micklegate4' as const, customers: [people.priya, people.tom], start_date: month(1) };
  const comingId = await sign('coming', { ...coming, application: family }, daysFromNow(-2));
  await draft('draft', {
    home: 'fishergate2',
    customers: [people.mary, people.alan],
    start_date: month(1),
    application: friends,
  });
  const canceled = { home: 'micklegate5' as const, customers: [people.iris], start_date: month(2) };
  const id = await sign('canceled', canceled, daysFromNow(-12));
  await post('cancel canceled', `/v1/tenancies/${id}/cancel`, { reason: 'The tenant found work in Leeds.' });
  return { ...tenancies, coming: comingId };
}

/** Gives notices, ends a tenancy, and asks for pets. */
export async function liveInHomes(
  post: Post,
  { daysFromNow, month }: Calendar,
  people: People,
  tenancies: Tenancies,
): Promise<void> {
  const move = (name: keyof Tenancies, operation: string, body: Body, number = 1): Promise<Body> =>
    post(`${operation} ${name} ${number}`, `/v1/tenancies/${tenancies[name]}/${operation}`, body);

  // A tenant's notice takes two months, and ends with a rent period or on the next rent day.
  await move('leaving', 'give_notice', { by: 'tenant', served_on: month(0), ends_on: addDays(month(3), -1) });
  // Ground 1A: the landlord wants to sell, which takes four months' notice.
  await move('sold', 'give_notice', {
    by: 'landlord',
    served_on: daysFromNow(-10),
    ends_on: addDays(month(5), -1),
    grounds: ['1A'],
  });
  await move('surrendered', 'end', { ended_on: daysFromNow(-20), reason: 'surrender' });

  const requests = [
    [people.hannah, 'A house cat, four years old and neutered.'],
    [people.daniel, 'Two Alsatians.'],
    [people.daniel, 'A rescue greyhound.'],
    [people.hannah, 'A pair of budgerigars.'],
  ] as const;
  for (const [index, [customer, description]] of requests.entries())
    await move('pets', 'request_pet', { customer, description }, index + 1);
  const answers = [
    { answer: 'granted' },
    { answer: 'refused', reason: 'The flat has no garden, and the head lease allows no large dogs.' },
    { answer: 'information_asked', reason: 'How old is the dog, please?' },
  ];
  for (const [index, answer] of answers.entries())
    await move('pets', 'answer_pet', { number: index + 1, ...answer }, index + 1);
}
