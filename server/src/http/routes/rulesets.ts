import { Type } from 'typebox';
import { today } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { rulesetIds, type RulesetId } from '../../core/vocabulary/law-rules.ts';
import { checksOn, rulesets, tenancyTypes } from '../../law/index.ts';
import { CalendarDate } from '../../model/schemas/fields.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute } from '../route.ts';
import { idInPath } from './records/load-record.ts';

const RulesetCheck = named(
  'RulesetCheck',
  'A rule of law that Tenure checks lets against.',
  closedObject({
    id: Type.String({
      description: 'The id of the check, as in `check` of an error and in the `rules` of an account.',
    }),
    severity: described(
      oneOf('error', 'warn'),
      'What a failed check does: `error` refuses the request, and `warn` keeps a warning. The account’s `rules` can change that.',
    ),
    applies_to: Type.Array(oneOf(...tenancyTypes), {
      description: 'The types of tenancy that it judges. An application counts as `assured`.',
    }),
    source: Type.String({ description: 'The Act and its section.' }),
    from: described(CalendarDate, 'The first day on which it is in force.'),
    to: described(nullable(CalendarDate), 'The last day on which it is in force. Null if none is known.'),
    description: Type.String({ description: 'The rule in a sentence or two.' }),
  }),
);

const Ruleset = closedObject({
  id: described(oneOf(...rulesetIds), 'The id of the ruleset. `none` has no checks.'),
  object: Type.Literal('ruleset', { description: 'The kind of the object.' }),
  on: described(CalendarDate, 'The day on which these checks are in force.'),
  checks: Type.Array(RulesetCheck, {
    description: 'The checks in force that day, with the severities of the law. An account can have others in `rules`.',
  }),
});

/** Returns the route about the checks of a ruleset. It shows the law, and not what an account has made of it. */
export function rulesetRoute({ clock }: Pick<HttpContext, 'clock'>): ReadRoute {
  return {
    method: 'GET',
    operationId: 'rulesets_retrieve',
    docs: {
      summary: 'Retrieve a ruleset',
      description:
        'Returns the checks of law that are in force on a day, with their sources. A check judges an act by the day of the act. This is no legal advice.',
    },
    response: {
      kind: 'object',
      name: 'Ruleset',
      schema: Ruleset,
      example: {
        id: 'england',
        object: 'ruleset',
        on: '2027-01-04',
        checks: checksOn('england', '2027-01-04').slice(0, 1),
      },
    },
    path: '/v1/rulesets/:id',
    idDescription: 'The id of the ruleset: `england` or `none`.',
    permission: null,
    object: 'ruleset',
    expandable: null,
    query: {
      on: Type.String({
        format: 'date',
        description: 'The day. The default is today in the account’s time zone.',
      }),
    },
    async read(request, query) {
      const id: string = idInPath(request);
      if (!isRulesetId(id)) {
        throw new ApiError(
          'resource_missing',
          `There is no ruleset \`${id.slice(0, 80).toWellFormed()}\`. Send one of: ${rulesetIds.join(', ')}.`,
          { param: 'id' },
        );
      }
      const on = query.on === undefined ? today(toSeconds(clock.nowMs()), request.account.timeZone) : String(query.on);
      return { object: 'ruleset', id, on, checks: checksOn(id, on) };
    },
  };
}

function isRulesetId(id: string): id is RulesetId {
  return Object.hasOwn(rulesets, id);
}
