/** What a file is for, in words. */
export const purposes = [
  { id: 'reference_report', name: 'Report of a check' },
  { id: 'identity_document', name: 'Identity document' },
  { id: 'income_evidence', name: 'Evidence of income' },
  { id: 'tenancy_agreement', name: 'Tenancy agreement' },
  { id: 'other', name: 'Other' },
] as const;

export function purposeText(purpose: string): string {
  return purposes.find(({ id }) => id === purpose)?.name ?? 'Other';
}

/** What an office can upload, for the chooser of files. */
export const acceptedTypes = 'application/pdf,image/jpeg,image/png';

/** Returns a type of file as people say it: "PDF". */
export function formatText(contentType: string): string {
  const [, format = ''] = contentType.split('/');
  return format.toUpperCase();
}

/** Returns a size as people read it: "47 kB". */
export function sizeText(bytes: number): string {
  const [value, unit] =
    bytes >= 1_000_000 ? ([bytes / 1_000_000, 'megabyte'] as const) : ([bytes / 1_000, 'kilobyte'] as const);
  const format = { style: 'unit', unit, maximumFractionDigits: value < 10 ? 1 : 0 } as const;
  return new Intl.NumberFormat('en-GB', format).format(value);
}
