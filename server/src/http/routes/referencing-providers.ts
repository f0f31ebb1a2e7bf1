import { Type } from 'typebox';
import { findKnown } from '../../core/arrays.ts';
import {
  credentialNames,
  notReady,
  providers,
  type Provider,
  type ReferencingServices,
} from '../../core/vocabulary/providers.ts';
import { fieldOf } from '../../model/record.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas/make.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute } from '../route.ts';

const ReferencingProvider = closedObject({
  id: described(oneOf(...providers), 'The name, as you send it in `automatic_reference.provider`.'),
  object: Type.Literal('referencing_provider', { description: 'The kind of the object.' }),
  status: described(
    oneOf('ready', 'credentials_missing', 'not_set_up'),
    'Whether you can order references. `credentials_missing`: set `provider_credentials` with POST /v1/account. `not_set_up`: ask the operator for the address of the service.',
  ),
  service: described(
    nullable(oneOf('real', 'simulated')),
    'How this deployment reaches the service. Null if it does not. A simulated one needs no credentials.',
  ),
  credentials_set: Type.Boolean({ description: 'Whether the account has set credentials. No response shows them.' }),
  credential_names: Type.Array(Type.String(), {
    description: 'The members of `provider_credentials[<provider>]`. The service needs all of them.',
  }),
  advice: described(
    nullable(Type.String()),
    'How to set up the service if you cannot order references yet. Null if nothing is missing.',
  ),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

/** Returns `GET /v1/referencing_providers`: the services, and whether the account can order from each. */
export function referencingProvidersRoute({ resources, readRecord, referencingServices }: HttpContext): ReadRoute {
  const account = findKnown(resources, (resource) => ownAccount.has(resource));
  return {
    method: 'GET',
    operationId: 'referencing_providers_list',
    docs: {
      summary: 'List referencing providers',
      description:
        'Returns the services that check people, and whether the account can order references from each. All are on one page.',
    },
    response: {
      kind: 'objects',
      name: 'ReferencingProvider',
      schema: ReferencingProvider,
      example: {
        id: 'provider_a',
        object: 'referencing_provider',
        status: 'ready',
        service: 'real',
        credentials_set: true,
        credential_names: [...credentialNames.provider_a],
        advice: null,
      },
    },
    path: '/v1/referencing_providers',
    permission: 'accounts.read',
    object: 'referencing_provider',
    expandable: null,
    query: {},
    async read({ accountId, hasServiceContext }) {
      const owner = await readRecord(account, accountId, accountId);
      if (!owner) throw new Error(`Bug! The account ${accountId} is not there.`);
      const credentials = (fieldOf(owner, 'provider_credentials') ?? {}) as Readonly<Record<string, string>>;
      const data = providers.map((provider) => ({
        ...stateOf(provider, credentials, referencingServices),
        ...(hasServiceContext && { account: accountId }),
      }));
      return { object: 'list', count: data.length, has_more: false, data };
    },
  };
}

function stateOf(provider: Provider, credentials: Readonly<Record<string, string>>, services: ReferencingServices) {
  const service = services[provider];
  const isSet = credentials[provider] !== undefined;
  return {
    id: provider,
    object: 'referencing_provider',
    status: service === null ? 'not_set_up' : isSet || service === 'simulated' ? 'ready' : 'credentials_missing',
    service,
    credentials_set: isSet,
    credential_names: [...credentialNames[provider]],
    advice: notReady(provider, services, Object.keys(credentials)),
  };
}
