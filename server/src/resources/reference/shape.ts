import { Type } from 'typebox';
import { isObject, type Json } from '../../core/json-diff.ts';
import { providers } from '../../core/providers.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas.ts';

export const Status = oneOf('pending', 'processing', 'complete', 'canceled');
export const Outcome = oneOf('accept', 'consider', 'high_risk');
export const ReferenceType = oneOf('customer');

const Provider = oneOf(...providers);

/** Data of `provider_a` besides its verdict (spec, provider_data). */
const ProviderData = closedObject({
  type: described(oneOf('provider_a'), 'The provider of the data, and the name of the member with the data.'),
  provider_a: described(
    closedObject({
      affordability: described(
        closedObject({
          percentage: nullable(
            Type.Number({
              description: 'The rent as a share of verified gross income, in percent. Null if it is not known.',
            }),
          ),
          status: nullable(Type.String({ description: 'The provider’s term for it. Null if there is none yet.' })),
        }),
        'Whether the person can afford the rent.',
      ),
      credit_score: nullable(
        Type.Number({ description: 'The credit score on the provider’s scale. Null if there is no credit file.' }),
      ),
      notes: nullable(
        Type.Array(
          closedObject({
            created: Type.Number({ description: 'When it was written, in seconds since the Unix epoch.' }),
            message: Type.String({ description: 'The text of the note.' }),
          }),
          { description: 'Notes from the check, the oldest first. Null if the provider sends none.' },
        ),
      ),
      progress: nullable(
        Type.Number({ description: 'The progress of the check, in percent. Null if the provider does not send it.' }),
      ),
      sanctions_passed: nullable(
        Type.Boolean({ description: 'True if the person is on no sanctions list. Null until that is checked.' }),
      ),
    }),
    'What `provider_a` reports.',
  ),
});

/** The check by a provider, and its reports so far (spec, automatic_reference). */
export const AutomaticReference = closedObject({
  enabled: Type.Boolean({ description: 'Whether a provider makes the check.' }),
  last_error: nullable(
    Type.String({ description: 'The error of the last request to the provider. Null if there was none.' }),
  ),
  outcome: nullable(Type.String({ description: 'The verdict in the provider’s own words. Null until there is one.' })),
  provider: described(nullable(Provider), 'The provider. Null if it is not enabled and you sent none.'),
  status: nullable(
    Type.String({
      description:
        'The provider’s status: `queued`, `invited`, `in_progress`, `awaiting_referee`, `in_review`, `done`, `failed` or `canceled`. Null if it is not enabled.',
    }),
  ),
  provider_data: described(nullable(ProviderData), 'The provider’s data besides its verdict. Null if there is none.'),
});

/** The two settings that clients can send. The server sets all other members of `automatic_reference`. */
export const AutomaticReferenceInput = closedObject({
  enabled: Type.Optional(Type.Boolean({ description: 'Whether a provider makes the check. The default is true.' })),
  provider: Type.Optional(
    described(
      nullable(Provider),
      'The provider. The default is the account’s `default_provider`. In a sandbox without one, it is `provider_a`.',
    ),
  ),
});

/** Removes findings when the person is erased. The verdict stays. The value may have only some of the members. */
export function withoutFindings(automaticReference: Json): Json {
  if (!isObject(automaticReference)) return automaticReference;
  const emptied = ['last_error', 'provider_data'].filter((name) => Object.hasOwn(automaticReference, name));
  return { ...automaticReference, ...Object.fromEntries(emptied.map((name) => [name, null])) };
}
