/** Makes the smallest text that passes for a PDF by its beginning and its end. */
export function pdfOf(text: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1'), Buffer.from(text), Buffer.from('\n%%EOF\n')]);
}

/** Makes a form that uploads a file. Leaves out fields with the value undefined. */
export function formOf(
  fields: Record<string, string | undefined> = {},
  contents: Uint8Array = pdfOf('Report'),
  filename = 'report.pdf',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ purpose: 'reference_report', ...fields })) {
    if (value !== undefined) form.append(name, value);
  }
  form.append('file', new Blob([Uint8Array.from(contents)], { type: 'application/pdf' }), filename);
  return form;
}

/** Encodes a form as bytes, for clients that know no forms. */
export async function encodedForm(form: FormData): Promise<{ contentType: string; bytes: Buffer }> {
  const response = new Response(form);
  return { contentType: response.headers.get('content-type')!, bytes: Buffer.from(await response.arrayBuffer()) };
}
