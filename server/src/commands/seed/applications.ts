import { rentOf, type Home, type Homes } from './homes.ts';
import type { People } from './people.ts';
import type { Body, Calendar, Post } from './post.ts';

export type Applications = Record<
  'couple' | 'single' | 'friends' | 'doubted' | 'unaffordable' | 'upheld' | 'withdrawn' | 'family',
  string
>;

/** Makes the applications. All of them are open at first. */
export async function makeApplications(
  post: Post,
  { month }: Calendar,
  homes: Homes,
  people: People,
): Promise<Applications> {
  const application = async (name: string, home: Home, customers: string[], months = 1): Promise<string> => {
    const body = { customers, unit: homes[home], rent: rentOf(home), move_in_date: month(months) };
    return (await post(`application ${name}`, '/v1/applications', body)).id;
  };
  return {
    couple: await application('couple', 'micklegate5', [people.ada, people.grace]),
    single: await application('single', 'micklegate2', [people.george], 3),
    friends: await application('friends', 'fishergate2', [people.mary, people.alan]),
    doubted: await application('doubted', 'micklegate5', [people.emmy]),
    unaffordable: await application('unaffordable', 'micklegate5', [people.liam]),
    upheld: await application('upheld', 'fishergate2', [people.owen]),
    withdrawn: await application('withdrawn', 'fishergate2', [people.nadia]),
    family: await application('family', 'micklegate4', [people.priya, people.tom]),
  };
}

/** Decides the applications, and brings guarantors into each state. The signature of a tenancy converts one more application. */
export async function decideApplications(
  post: Post,
  { daysFromNow }: Calendar,
  people: People,
  applications: Applications,
): Promise<void> {
  const guarantor = async (name: string, application: string, customer: string): Promise<string> =>
    (await post(`guarantor ${name}`, '/v1/guarantors', { application, customer })).id;
  const moveGuarantor = (id: string, move: string, body: Body = {}): Promise<Body> =>
    post(`${move} ${id}`, `/v1/guarantors/${id}/${move}`, body);
  await guarantor('proposed', applications.couple, people.helen);
  const agreed = await guarantor('agreed', applications.family, people.frank);
  await moveGuarantor(agreed, 'agree', { agreed_on: daysFromNow(-4) });
  await moveGuarantor(await guarantor('declined', applications.friends, people.peter), 'decline');
  const released = await guarantor('released', applications.friends, people.joan);
  await moveGuarantor(released, 'agree', { agreed_on: daysFromNow(-9) });
  await moveGuarantor(released, 'release', { released_on: daysFromNow(-2) });

  const decide = (name: keyof Applications, move: string, body: Body = {}): Promise<Body> =>
    post(`${move} ${name}`, `/v1/applications/${applications[name]}/${move}`, body);
  await decide('friends', 'approve', { note: 'Mary earns a little less than we ask for. Alan’s report is good.' });
  await decide('family', 'approve', { note: 'Both work at the hospital. Frank Raman guarantees the rent.' });
  await decide('unaffordable', 'reject', { reasons: ['affordability'], note: 'The rent is half of the income.' });
  await decide('doubted', 'reject', { reasons: ['credit_history'] });
  await decide('doubted', 'request_review', {
    message: 'I paid off that judgment in full. I can send the certificate.',
  });
  await decide('upheld', 'reject', { reasons: ['landlord_reference'], note: 'Two months of arrears in Acomb.' });
  await decide('upheld', 'request_review', { message: 'My last landlord mixed me up with another tenant.' });
  await decide('upheld', 'review', { result: 'upheld', note: 'The landlord confirmed the arrears with a statement.' });
  await decide('withdrawn', 'withdraw');
}
