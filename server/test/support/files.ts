/** The smallest text that is a PDF to whoever looks at its beginning and its end. */
export function pdfOf(text: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1'), Buffer.from(text), Buffer.from('\n%%EOF\n')]);
}

/** A form that uploads a file; fields with the value undefined are left out. */
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

/** What is sent of a form, for clients that know no forms. */
export async function encodedForm(form: FormData): Promise<{ contentType: string; bytes: Buffer }> {
  const response = new Response(form);
  return { contentType: response.headers.get('content-type')!, bytes: Buffer.from(await response.arrayBuffer()) };
}
