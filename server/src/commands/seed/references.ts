import type { Applications } from './applications.ts';
import type { People } from './people.ts';
import type { Body, Post } from './post.ts';

/** Makes a reference in each state: carried out by the agency, or by a simulated referencing service. */
export async function fillReferences(post: Post, people: People, ids: Applications): Promise<void> {
  const byHand = async (name: string, application: string, customer: string): Promise<string> =>
    (await post(`reference ${name}`, '/v1/references', { application, customer })).id;
  const automatic = async (
    name: string,
    [application, customer]: [string, string],
    provider: string,
    simulate: string,
  ): Promise<string> => {
    const body = { application, customer, automatic_reference: { provider }, metadata: { simulate } };
    return (await post(`reference ${name}`, '/v1/references', body)).id;
  };
  const helper = (id: string, action: string, body: Body = {}): Promise<Body> =>
    post(`${action} ${id}`, `/v1/test_helpers/references/${id}/${action}`, body);

  await byHand('pending', ids.couple, people.grace);
  const processing = await byHand('processing', ids.single, people.george);
  await post('begin', `/v1/references/${processing}`, { status: 'processing' });
  const canceled = await byHand('canceled', ids.doubted, people.emmy);
  await post('cancel', `/v1/references/${canceled}/cancel`, {});
  const form = new FormData();
  form.append('purpose', 'reference_report');
  form.append('file', new Blob([emptyPdf], { type: 'application/pdf' }), 'reference-by-hand.pdf');
  const { id: report } = await post('report', '/v1/files', form);
  const complete = await byHand('complete', ids.friends, people.alan);
  await post('finish', `/v1/references/${complete}`, { outcome: 'accept', reference_pdf: report });

  await helper(await automatic('accepted', [ids.couple, people.ada], 'provider_a', 'accept'), 'complete');
  await helper(await automatic('considered', [ids.friends, people.mary], 'provider_c', 'low_income'), 'complete');
  await helper(await automatic('at risk', [ids.doubted, people.emmy], 'provider_d', 'ccj'), 'complete');
  await helper(await automatic('failing', [ids.single, people.george], 'provider_a', 'accept'), 'fail');
  await automatic('ordered', [ids.single, people.george], 'provider_c', 'referee_silent');
}

/** ISO 32000-1, 7.5: one empty page. */
const emptyPdf = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj
trailer << /Root 1 0 R >>
%%EOF
`;
