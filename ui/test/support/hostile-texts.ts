import { expect } from 'vitest';
import { naughtyStrings } from '../../../server/test/support/naughty-strings.ts';
import { scriptStrings } from '../../../server/test/support/script-strings.ts';
import type { OpenPage } from './browser.ts';

/** Texts that a careless page would run, or show wrongly. */
export const texts = [...scriptStrings, ...naughtyStrings];

/** Fails if a text has become an element, an attribute or a request, or makes the page scroll sideways. */
export async function expectHarmless({ page, problems }: OpenPage): Promise<void> {
  const faults = await page.evaluate(() => {
    const elements = [...document.body.querySelectorAll('*')];
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- The page gets the outer function alone.
    const leadsElsewhere = (link: string): boolean => {
      const { protocol, hostname } = new URL(link, location.href);
      // The page of a renter rings the agent or writes to them.
      if (['tel:', 'mailto:'].includes(protocol)) return false;
      return protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(hostname);
    };
    return [
      ...('__hit' in globalThis ? ['A script of a text ran.'] : []),
      ...elements
        .filter((element) =>
          element.matches(
            'script, style, link, base, meta, img, iframe:not([src^="/dashboard/files/file_"]), object, embed, video, math, marquee, plaintext, animate',
          ),
        )
        .map((element) => `A text became an element: ${element.outerHTML}`),
      ...elements
        .filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on') || name === 'srcdoc'))
        .map((element) => `An attribute runs: ${element.outerHTML}`),
      ...elements
        .flatMap((element) => ['href', 'src', 'action', 'formaction'].map((name) => element.getAttribute(name)))
        .filter((url) => url !== null)
        .filter(leadsElsewhere)
        .map((url) => `A link leads elsewhere: ${url}`),
      ...(document.documentElement.scrollWidth > innerWidth
        ? [
            `The page scrolls sideways: ${elements.findLast((element) => element.getBoundingClientRect().right > innerWidth)?.outerHTML}`,
          ]
        : []),
    ];
  });
  expect(faults).toEqual([]);
  // Chromium writes an error of its own for each refused request.
  expect(problems.filter((problem) => !/status of 40[0-9]/.test(problem))).toEqual([]);
}

/** The members whose values the server chooses, so that pages may rely on them. */
const ownMembers = new Set([
  'access',
  'actions',
  'actor',
  'api_version',
  'api_version_previous',
  'changelog',
  'code',
  'doc_url',
  'default_provider',
  'created',
  'currency',
  'error',
  'error_code',
  'id',
  'interval',
  'kind',
  'last_four',
  'latest',
  'linked_records',
  'method',
  'mode',
  'newest',
  'object',
  'outcome',
  'permissions',
  'provider',
  'purpose',
  'request_id',
  'role',
  'second_factor',
  'signing_secret',
  'source',
  'status',
  'time_zone',
  'type',
  'version',
  'all',
  'feature',
  'features',
  'from',
  'to',
]);

let next = 0;

const everyText = Object.fromEntries(texts.map((text) => [text, text]));

/** Puts a hostile text in the place of each text that a person, a program or a receiver can choose. */
export function hostile(json: unknown, name = ''): unknown {
  // These have room for all texts at once.
  if (name === 'metadata') return everyText;
  if (name === 'request_body') return JSON.stringify(texts);
  if (name === 'response_body') return texts.join('\n');
  if (Array.isArray(json)) return json.map((each: unknown) => hostile(each, name));
  if (typeof json === 'object' && json !== null) {
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, hostile(value, key)]));
  }
  if (typeof json !== 'string' || ownMembers.has(name) || /^[a-z]+_\w{20,}$|^\d{4}-\d\d-\d\d$/.test(json)) return json;
  return texts[next++ % texts.length];
}
