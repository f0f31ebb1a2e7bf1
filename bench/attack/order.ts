/** The ways of the attack. Each holds memory of the server in another budget. */
export const ways = [
  'streams',
  'events',
  'posts',
  'updates',
  'answers',
  'lists',
  'expansions',
  'searches',
  'logs',
  'downloads',
  'uploads',
  'recoveries',
  'erasures',
  'pdfs',
  'headers',
  'imports',
  'workflows',
] as const;

export type Way = (typeof ways)[number];

/** How many of each way an account has under way. The comment is the limit of the server. */
export type Sizes = Record<Way, number>;

export const allOfIt: Sizes = {
  // 50 streams.
  streams: 50,
  // 100 endpoints.
  events: 100,
  // 256 requests, of which 8 send a body of the largest size.
  posts: 1_000,
  // 48 decisions.
  updates: 64,
  answers: 32,
  lists: 20,
  expansions: 10,
  searches: 16,
  logs: 20,
  // 16 of each.
  downloads: 20,
  uploads: 16,
  recoveries: 20,
  erasures: 2,
  pdfs: 8,
  // 8 MB of headers of requests that wait behind others.
  headers: 60,
  imports: 4,
  // Active ones, each of a quarter of a megabyte.
  workflows: 100,
};

/** Returns a part of each size, and none of the ways that are left out. */
export function partOf(sizes: Sizes, part: number, only: readonly string[]): Sizes {
  const entries = ways.map((way) => [way, only.includes(way) ? Math.ceil(sizes[way] * part) : 0]);
  return Object.fromEntries(entries) as Sizes;
}

/** What the attacker gets from its environment. */
export interface Order {
  url: string;
  /** The key of each attacking account. */
  keys: string[];
  sizes: Sizes;
}

/** What the attacker knows of its writes. The number of a write is in the metadata of its record. */
export interface Writes {
  /** Answered with 200. */
  acknowledged: number[];
  /** Refused with 4xx or 503. */
  refused: number[];
}

/** What the attacker reports. */
export interface Report {
  /** Responses by request and status. */
  statuses: Record<string, number>;
  writes: Writes;
}
