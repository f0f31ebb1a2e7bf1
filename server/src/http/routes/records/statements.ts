import { Type } from 'typebox';
import { addDays, addMonths, today } from '../../../core/calendar.ts';
import { toSeconds } from '../../../core/clock.ts';
import { invalidParameter } from '../../../core/errors.ts';
import { patient } from '../../../core/limits/fair-queue.ts';
import { readStatement, type StatementFacts } from '../../../db/ledger-statement.ts';
import { CalendarDate, LinkedId } from '../../../model/schemas/fields.ts';
import { fieldOf, type StoredRecord } from '../../../model/record.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';
import type { HttpContext } from '../../context.ts';
import type { ApiRequest } from '../../request.ts';
import type { Query, ReadRoute } from '../../route.ts';
import { resourceAt } from '../../write/decisions.ts';
import { load } from './load-record.ts';
import { pdf, printed } from './printing.ts';

/** A response stays below a megabyte. A tenancy has some 30 entries in a year. */
const entriesMax = 2_000;

const money = (description: string) =>
  Type.Integer({
    description: `${description}, in the smallest unit of the currency. Below 0, the tenants have credit.`,
  });

/** The fields of an entry mean the same as in the ledger. */
function entryOf(fields: Readonly<Record<string, { schema: Type.TSchema; description?: string }>>) {
  const ofLedger = (name: string) => described(fields[name]!.schema, fields[name]!.description ?? '');
  return named(
    'StatementEntry',
    'An entry of the ledger in a statement.',
    closedObject({
      sequence: ofLedger('sequence'),
      date: ofLedger('date'),
      type: ofLedger('type'),
      amount: ofLedger('amount'),
      balance: money('The balance after this entry, in the order of the statement'),
      invoice: ofLedger('invoice'),
      payment: ofLedger('payment'),
    }),
  );
}

/** Returns `GET /v1/tenancies/{id}/statement`: the entries of some days, and what tenants owed before and after them. */
export function statementRoute(context: HttpContext): ReadRoute {
  const tenancies = resourceAt(context, 'tenancies');
  const ledger = resourceAt(context, 'ledger');
  const schema = closedObject({
    object: Type.Literal('statement', { description: 'The kind of the object.' }),
    tenancy: described(LinkedId, 'The id of the tenancy.'),
    currency: Type.String({ description: 'The currency of the rent (ISO 4217), in lower case.', examples: ['gbp'] }),
    from: described(nullable(CalendarDate), 'The first day. Null if it goes back to the first entry.'),
    to: described(CalendarDate, 'The last day.'),
    opening_balance: money('What the tenants owed before the first day'),
    entries: Type.Array(entryOf(ledger.fields), { description: 'The entries of these days, the oldest day first.' }),
    closing_balance: money('What the tenants owe after the last day'),
    arrears: described(
      tenancies.fields.arrears!.schema,
      'What is overdue now, whatever the days of the statement are.',
    ),
    account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
  });
  const read = async (request: ApiRequest, query: Query): Promise<StatementFacts & { tenancy: StoredRecord }> => {
    const tenancy = await load(context, tenancies, request);
    const from = query.from === undefined ? null : String(query.from);
    const to =
      query.to === undefined ? today(toSeconds(context.clock.nowMs()), request.account.timeZone) : String(query.to);
    if (from !== null && to < from && query.to === undefined)
      throw invalidParameter(
        'from',
        `\`from\` is ${from}, and without \`to\` the statement ends today, on ${to}. Send \`to\`, or an earlier day.`,
      );
    if (from !== null && to < from)
      throw invalidParameter('to', `\`to\` is ${to}, which is before \`from\`, ${from}. Correct one of them.`);
    const wanted = { accountId: request.accountId, tenancy: tenancy.id, from: from ?? '0001-01-01', to };
    // Like a list, because a ledger can be long.
    const { opening, entries } = await context.listQueue.run(request.payer, request.memory ?? patient, () =>
      readStatement(context.lister, { ...wanted, limit: entriesMax + 1 }),
    );
    if (entries.length > entriesMax)
      throw invalidParameter(
        'from',
        `These days have more than ${entriesMax} entries. Send a later \`from\` or an earlier \`to\`, and read several statements.`,
      );
    return { tenancy, from, to, opening, closing: entries.at(-1)?.balance ?? opening, entries };
  };
  return {
    method: 'GET',
    operationId: 'tenancies_retrieve_statement',
    docs: {
      summary: 'Retrieve a statement of a tenancy',
      description: `Returns the balance before a day, the entries of the ledger until another day, and the balance after them. Entries come in the order of their days: money counts from the day on which it came. A statement has at most ${entriesMax} entries. With \`format=pdf\`, the response is a PDF to send to the tenants. It shows their names, and the \`letterhead\` of the account.`,
    },
    response: {
      kind: 'object',
      name: 'Statement',
      schema,
      example: {
        object: 'statement',
        tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
        currency: 'gbp',
        from: '2027-02-01',
        to: '2027-02-28',
        opening_balance: 0,
        entries: [
          {
            sequence: 1,
            date: '2027-02-01',
            type: 'invoice',
            amount: 95_000,
            balance: 95_000,
            invoice: 'in_0VbZq9aK00mT3cUuP8sXw4',
            payment: null,
          },
        ],
        closing_balance: 95_000,
        arrears: { amount: 0, since: null },
      },
    },
    path: '/v1/tenancies/:id/statement',
    permission: 'tenancies.read',
    object: 'statement',
    expandable: null,
    query: {
      from: described(Type.String({ format: 'date' }), 'The first day. The default is the day of the first entry.'),
      to: described(Type.String({ format: 'date' }), 'The last day. By default today, in the account’s time zone.'),
      format: described(oneOf('json', 'pdf'), 'The form of the response. The default is `json`.'),
    },
    async read(request, query) {
      const { tenancy, from, to, opening, closing, entries } = await read(request, query);
      return {
        object: 'statement',
        tenancy: tenancy.id,
        currency: (fieldOf(tenancy, 'rent') as { currency: string }).currency,
        from,
        to,
        opening_balance: opening,
        entries: entries.map((entry) => ({ ...entry })),
        closing_balance: closing,
        arrears: fieldOf(tenancy, 'arrears') as { amount: number; since: string | null },
        ...(request.hasServiceContext && { account: request.accountId }),
      };
    },
    asFile: {
      format: 'pdf',
      contentType: pdf,
      async open(request, query, client) {
        const { tenancy, ...facts } = await read(request, query);
        const pdfOf = context.documents.statement(request.payer, tenancy, facts, client);
        return printed(filenameOf(tenancy, facts), await pdfOf);
      },
    },
  };
}

/** Returns a filename such as `statement-ten_1-2027-02.pdf` for a month, and with both days for others. */
function filenameOf({ id }: StoredRecord, { from, to }: Pick<StatementFacts, 'from' | 'to'>): string {
  if (from === null) return `statement-${id}-until-${to}.pdf`;
  const isMonth = from.endsWith('-01') && to === addDays(addMonths(from, 1), -1);
  return `statement-${id}-${isMonth ? from.slice(0, 7) : `${from}-to-${to}`}.pdf`;
}
