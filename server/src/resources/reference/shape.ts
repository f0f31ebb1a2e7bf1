import { Type } from 'typebox';
import type { Json } from '../../core/json-diff.ts';
import { ProviderName } from '../../model/schemas/fields.ts';
import { RoleName } from '../../model/callers/roles.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { emptied } from '../../model/traits/personal-texts.ts';

export const Status = named(
  'ReferenceStatus',
  'The status of a reference.',
  oneOf('pending', 'processing', 'complete', 'canceled'),
);
export const Outcome = named(
  'Outcome',
  'The verdict of a check, from good to bad.',
  oneOf('accept', 'consider', 'high_risk'),
);

/** Why an outcome was chosen, in the words of the decider. */
export const Reason = Type.String({ minLength: 1, maxLength: 2000 });

/** The outcome that a person or a program has set, with its reason. */
export const Decision = named(
  'ReferenceDecision',
  'A decision about a reference: an outcome that was set by hand.',
  closedObject({
    outcome: described(Outcome, 'The outcome that was set.'),
    reason: nullable(
      Type.String({ description: 'Why, in the words of the decider. Null if none was given, or after an erasure.' }),
    ),
    decided_by: named(
      'ReferenceDecider',
      'The person or the program that set the outcome of a reference.',
      closedObject({
        type: described(
          oneOf('user', 'api_key', 'agent'),
          '`user`: a person in the dashboard. `api_key`: a program with a key. `agent`: a program that decides by itself.',
        ),
        id: Type.String({ description: 'The id of the user or of the API key.' }),
        name: nullable(
          Type.String({ description: 'The e-mail address of the user, or the name of the key. Null if it has none.' }),
        ),
        role: described(nullable(RoleName), 'The role of the user at that time. Null for a key.'),
      }),
    ),
    decided_at: Type.Integer({ description: 'When it was set, in seconds since the Unix epoch.' }),
  }),
);

export const ReferenceType = named('ReferenceType', 'The kind of person that a reference is about.', oneOf('customer'));

/** Data of `provider_a` besides its verdict (spec, provider_data). */
const ProviderData = named(
  'ProviderData',
  'The data of a check besides its verdict, by provider.',
  closedObject({
    type: described(oneOf('provider_a'), 'The provider of the data, and the name of the member with the data.'),
    provider_a: described(
      named(
        'ProviderAData',
        'The data of a check by `provider_a`.',
        closedObject({
          affordability: described(
            named(
              'Affordability',
              'The share of the rent in the income of a person.',
              closedObject({
                percentage: nullable(
                  Type.Number({
                    description: 'The rent as a share of verified gross income, in percent. Null if it is not known.',
                  }),
                ),
                status: nullable(
                  Type.String({ description: 'The provider’s term for it. Null if there is none yet.' }),
                ),
              }),
            ),
            'Whether the person can afford the rent.',
          ),
          credit_score: nullable(
            Type.Number({ description: 'The credit score on the provider’s scale. Null if there is no credit file.' }),
          ),
          notes: nullable(
            Type.Array(
              named(
                'ProviderNote',
                'A note of a provider.',
                closedObject({
                  created: Type.Number({ description: 'When it was written, in seconds since the Unix epoch.' }),
                  message: Type.String({ description: 'The text of the note.' }),
                }),
              ),
              { description: 'Notes from the check, the oldest first. Null if the provider sends none.' },
            ),
          ),
          progress: nullable(
            Type.Number({
              description: 'The progress of the check, in percent. Null if the provider does not send it.',
            }),
          ),
          sanctions_passed: nullable(
            Type.Boolean({ description: 'True if the person is on no sanctions list. Null until that is checked.' }),
          ),
        }),
      ),
      'What `provider_a` reports.',
    ),
  }),
);

/** The check by a provider, and its reports so far (spec, automatic_reference). */
export const AutomaticReference = named(
  'AutomaticReference',
  'The check of a reference by a provider.',
  closedObject({
    enabled: Type.Boolean({ description: 'Whether a provider makes the check.' }),
    last_error: nullable(
      Type.String({
        description:
          'Why the check does not go on: a code, what happened, and what to do. Null if nothing stops it. The guide to automatic references lists the codes with what to do.',
      }),
    ),
    outcome: nullable(
      Type.String({ description: 'The verdict in the provider’s own words. Null until there is one.' }),
    ),
    provider: described(nullable(ProviderName), 'The provider. Null if it is not enabled and you sent none.'),
    status: nullable(
      Type.String({
        description:
          'The provider’s status: `queued`, `invited`, `in_progress`, `awaiting_referee`, `in_review`, `done`, `failed` or `canceled`. Null if it is not enabled.',
      }),
    ),
    provider_data: described(nullable(ProviderData), 'The provider’s data besides its verdict. Null if there is none.'),
  }),
);

/** The two settings that clients can send. The server sets all other members of `automatic_reference`. */
export const AutomaticReferenceInput = named(
  'AutomaticReferenceInput',
  'The settings of a check by a provider.',
  closedObject({
    enabled: Type.Optional(Type.Boolean({ description: 'Whether a provider makes the check. The default is true.' })),
    provider: Type.Optional(
      described(
        nullable(ProviderName),
        'The provider. The default is the account’s `default_provider`. In a sandbox without one, it is `provider_a`.',
      ),
    ),
  }),
);

/** Removes the reason of a decision when the person is erased. The value may have only some of the members. */
export function withoutReason(decision: Json): Json {
  return emptied(decision, { reason: null });
}

/** Removes findings when the person is erased. The verdict stays. The value may have only some of the members. */
export function withoutFindings(automaticReference: Json): Json {
  return emptied(automaticReference, { last_error: null, provider_data: null });
}
