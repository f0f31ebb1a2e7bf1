import { fieldOf } from '../../../model/record.ts';
import type { HttpContext } from '../../context.ts';
import type { ContentsRoute } from '../../route.ts';
import { resourceAt } from '../../write/decisions.ts';
import { load } from './load-record.ts';
import { pdf, printed } from './printing.ts';

/** Returns `GET /v1/invoices/{id}/pdf`. */
export function invoicePdfRoute(context: HttpContext): ContentsRoute {
  const invoices = resourceAt(context, 'invoices');
  return {
    method: 'GET',
    operationId: 'invoices_pdf',
    docs: {
      summary: 'Download an invoice as a PDF',
      description:
        'Returns the invoice as a PDF to send to the tenants. It shows their names and their home, the payments so far, and the `letterhead` of the account. It follows the state of the invoice: a draft and a void invoice say so on each page.',
    },
    response: { kind: 'file', contentTypes: [pdf], description: 'The invoice as a PDF.' },
    path: '/v1/invoices/:id/pdf',
    permission: 'invoices.read',
    object: 'invoice',
    expandable: null,
    query: {},
    async open(request, _query, client) {
      const invoice = await load(context, invoices, request);
      const name = (fieldOf(invoice, 'number') as string | null) ?? `draft-${invoice.id}`;
      return printed(`${name}.pdf`, await context.documents.invoice(request.payer, invoice, client));
    },
  };
}
