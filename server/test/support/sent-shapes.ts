import { expect } from 'vitest';
import { endpointFor } from '../webhooks/scenario.ts';
import { receiverForTest, type Received, type Receiver } from './receiver.ts';
import { good, type Api, type ApiResponse } from './server.ts';
import { expectReferenceIn } from './shapes.ts';
import { versions, words } from './versions.ts';

/** The subscription of an endpoint that receives what `updateReference` makes. */
export const updates = { enabled_events: ['reference.updated'] };

/** Makes a reference whose file changes once, so that there is one `reference.updated`. The account is at this version. */
export async function updateReference(api: Api, version: string): Promise<ApiResponse['body']> {
  const metadata = { pdf: 'the client’s', reference_pdf: 'own', object: 'reference' };
  const { id } = (await good(api.post('/v1/references', { application: 'app_1', metadata }))).body;
  return (await good(api.post(`/v1/references/${id}`, { [words[version]!.file]: 'file_1' }))).body;
}

/** Fails unless this delivery is the event that `updateReference` made, in the shape of this version. */
export function expectSent(version: string, { headers, body }: Pick<Received, 'headers' | 'body'>): void {
  const { file, request } = words[version]!;
  expect(headers['service-version']).toBe(version);
  expect(Object.keys(body)).toEqual(['id', 'object', 'created', 'type', 'data', 'request']);
  expectReferenceIn(version, body.data.object, 'file_1');
  expect(body.data.previous_attributes).toStrictEqual({ [file]: null });
  expect(request === 'id' ? body.request : body.request.id).toMatch(/^req_/);
}

/** Makes an endpoint of each version, with a receiver of its own. */
export async function receiversOf(
  api: Api,
  more: object,
): Promise<{ version: string; receiver: Receiver; secret: string }[]> {
  const made = [];
  for (const version of versions) {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { ...updates, ...more, api_version: version });
    made.push({ version, receiver, secret: endpoint.signing_secret as string });
  }
  return made;
}
