import type { Post } from './post.ts';

/** The monthly rent in pounds, by home. */
const rents = {
  micklegate1: 1_250,
  micklegate2: 1_175,
  micklegate3: 1_195,
  micklegate4: 1_325,
  micklegate5: 1_295,
  micklegate6: 795,
  fishergate1: 1_050,
  fishergate2: 1_095,
  fishergate3: 985,
  fishergate4: 650,
};

export type Home = keyof typeof rents;
export type Homes = Record<Home, string>;

export function rentOf(home: Home): { amount: number; currency: string; interval: string } {
  return { amount: rents[home] * 100, currency: 'gbp', interval: 'month' };
}

/** Makes two buildings with ten homes: on and off the market, and one archived. */
export async function makeHomes(post: Post, day: string): Promise<Homes> {
  const building = async (name: string, line1: string, postalCode: string): Promise<string> => {
    const address = { line1, city: 'York', postal_code: postalCode, country: 'GB' };
    const body = { name, address, jurisdiction: 'england', metadata: { seeded_on: day } };
    return (await post(`building ${name}`, '/v1/buildings', body)).id;
  };
  const micklegate = await building('Micklegate House', '84 Micklegate', 'YO1 6LF');
  const fishergate = await building('Fishergate Court', '22 Fishergate', 'YO10 4AB');

  const unit = async (home: Home, name: string, type: string, bedrooms: number, onMarket: boolean): Promise<string> => {
    const body = {
      building: home.startsWith('micklegate') ? micklegate : fishergate,
      name,
      type,
      bedrooms,
      max_occupants: Math.max(1, bedrooms) * 2,
      rent: rentOf(home),
      on_market: onMarket,
    };
    return (await post(`unit ${home}`, '/v1/units', body)).id;
  };
  const homes = {
    micklegate1: await unit('micklegate1', 'Flat 1', 'flat', 2, false),
    micklegate2: await unit('micklegate2', 'Flat 2', 'flat', 2, true),
    micklegate3: await unit('micklegate3', 'Flat 3', 'flat', 2, false),
    micklegate4: await unit('micklegate4', 'Flat 4', 'flat', 3, false),
    micklegate5: await unit('micklegate5', 'Flat 5', 'flat', 2, true),
    micklegate6: await unit('micklegate6', 'Studio 6', 'studio', 0, false),
    fishergate1: await unit('fishergate1', 'Flat A', 'flat', 1, false),
    fishergate2: await unit('fishergate2', 'Flat B', 'flat', 2, true),
    fishergate3: await unit('fishergate3', 'Flat C', 'flat', 1, false),
    fishergate4: await unit('fishergate4', 'Basement studio', 'studio', 0, false),
  };
  await post('archive', `/v1/units/${homes.fishergate4}`, { archived: true });
  return homes;
}
