import type { Api, ApiResponse } from './server.ts';

/** A line of a bank statement as a test writes it. */
export interface WrittenLine {
  date?: string;
  amount?: string;
  reference?: string;
  payer?: string;
}

/** Writes a bank statement as CSV. Every text is quoted. */
export function statementOf(lines: readonly WrittenLine[]): string {
  const rows = lines.map(({ date = '2027-01-04', amount = '950.00', reference = '', payer = '' }) =>
    [date, amount, reference, payer].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','),
  );
  return ['date,amount,reference,payer', ...rows].join('\n');
}

/** Makes the form that imports a file. */
export function importForm(contents: string | Uint8Array, filename = 'statement.csv'): FormData {
  const form = new FormData();
  const part = typeof contents === 'string' ? contents : Uint8Array.from(contents);
  form.append('file', new Blob([part], { type: 'text/csv' }), filename);
  return form;
}

export function importFile(api: Api, contents: string | Uint8Array): Promise<ApiResponse> {
  return api.post('/v1/payments/import', importForm(contents));
}
