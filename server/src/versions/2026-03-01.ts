import type { ApiVersion } from './api-version.ts';

export const version20260301: ApiVersion = {
  date: '2026-03-01',
  sentence:
    'The file of a reference is `reference_pdf` instead of `pdf`. The total of a list is `count` instead of `total_count`.',
  changes: [
    { object: 'reference', renamed: { reference_pdf: 'pdf' } },
    { object: 'list', renamed: { count: 'total_count' } },
  ],
};
