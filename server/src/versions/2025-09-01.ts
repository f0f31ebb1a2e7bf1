import type { ApiVersion } from './api-version.ts';

export const version20250901: ApiVersion = {
  date: '2025-09-01',
  sentence: 'The first version.',
  changes: [],
};
