import type { Calendar, Post } from './post.ts';

/** The customers of the agency, by first name, from the oldest to the youngest. */
const names = {
  helen: 'Helen Thackray',
  frank: 'Frank Raman',
  peter: 'Peter Illingworth',
  joan: 'Joan Fairburn',
  jess: 'Jess Dinsdale',
  moira: 'Moira Lazenby',
  owen: 'Owen Pickering',
  ruth: 'Ruth Barraclough',
  george: 'George Ibbotson',
  hannah: 'Hannah Oldroyd',
  daniel: 'Daniel Okafor',
  callum: 'Callum Stainthorpe',
  ada: 'Ada Thackray',
  grace: 'Grace Holroyd',
  priya: 'Priya Raman',
  tom: 'Tom Wetherill',
  marek: 'Marek Nowak',
  mary: 'Mary Fairburn',
  alan: 'Alan Metcalfe',
  emmy: 'Emmy Lindqvist',
  sophie: 'Sophie Ackroyd',
  liam: 'Liam Hebden',
  nadia: 'Nadia Hussain',
  iris: 'Iris Calvert',
};

/** The agency has yet to check Marek's right to rent. Guarantors need none. */
const unchecked = new Set(['marek', 'helen', 'frank', 'peter', 'joan']);

const streets = [
  ['Coppergate', 'YO1 9NR'],
  ['Heslington Road', 'YO10 5BN'],
  ['Nunnery Lane', 'YO23 1AJ'],
  ['Scarcroft Road', 'YO24 1DB'],
  ['Bootham Crescent', 'YO30 7AH'],
  ['Gillygate', 'YO31 7EQ'],
] as const;

export type People = Record<keyof typeof names, string>;

/** Makes the applicants, tenants and guarantors. */
export async function makePeople(post: Post, { daysFromNow }: Calendar): Promise<People> {
  const ids: Record<string, string> = {};
  for (const [index, [key, name]] of Object.entries(names).entries()) {
    const [street, postalCode] = streets[index % streets.length]!;
    const body = {
      name,
      email: `${name.toLowerCase().replace(' ', '.')}@example.org`,
      // Ofcom keeps 01632 960000 to 960999 for fiction.
      phone: `+44 1632 960${100 + index}`,
      date_of_birth: `${1955 + 2 * index}-0${1 + (index % 9)}-${10 + (index % 18)}`,
      addresses: [{ line1: `${12 + 3 * index} ${street}`, city: 'York', postal_code: postalCode, country: 'GB' }],
      ...(!unchecked.has(key) && { right_to_rent: { status: 'unlimited', checked_on: daysFromNow(-400) } }),
    };
    ids[key] = (await post(`customer ${key}`, '/v1/customers', body)).id;
  }
  return ids as People;
}
