import { errorCatalogue } from '../../core/errors.ts';
import type { SearchEntry } from './assets/find.js';
import type { Guide } from './guides.ts';

/** Returns the sections of all guides and all errors. */
export function searchEntries(guides: readonly Guide[]): SearchEntry[] {
  const sections = guides.flatMap(({ name, title, sections: ofGuide }) =>
    ofGuide.map(({ level, heading, anchor, text }) => ({
      url: level === 1 ? `guides/${name}` : `guides/${name}#${anchor}`,
      page: title,
      heading,
      text,
    })),
  );
  const errors = Object.entries(errorCatalogue).map(([code, { status, explanation }]) => ({
    url: `errors/${code}`,
    page: 'Errors',
    heading: code,
    text: `${status}. ${explanation.replaceAll('`', '')}`,
  }));
  return [...sections, ...errors];
}
