import type { ApiVersion } from './api-version.ts';

export const version20260301: ApiVersion = {
  date: '2026-03-01',
  sentence:
    'The file of a reference is called `reference_pdf`, where it was `pdf`, and the total of a list `count`, where it was `total_count`.',
  changes: [
    { object: 'reference', renamed: { reference_pdf: 'pdf' } },
    { object: 'list', renamed: { count: 'total_count' } },
  ],
};
