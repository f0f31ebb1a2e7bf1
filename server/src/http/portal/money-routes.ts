import { LinkedId } from '../../model/schemas/fields.ts';
import { deposit } from '../../resources/letting/deposit/index.ts';
import { invoice } from '../../resources/letting/invoice/index.ts';
import { payment } from '../../resources/letting/payment/index.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { findDeposits, findPayments } from './find.ts';
import { listOfIds, listOfPerson, pageQueryOf, withoutDrafts, paging } from './lists.ts';
import { viewerOf } from './own-records.ts';
import { depositObject, invoiceObject, pageOf, paymentObject } from './objects.ts';
import { read } from './route.ts';
import { depositView, invoiceView, paymentView } from './views.ts';

const pagingOfTenancy = { ...paging, tenancy: LinkedId };

/** Returns the lists of invoices, payments and deposits. */
export function routesOfMoney(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'invoices_list',
        path: '/invoices',
        features: ['money'],
        docs: {
          summary: 'List the invoices',
          description: 'The invoices of the person’s tenancies. Drafts are left out.',
        },
        response: pageOf(invoiceObject),
      },
      pagingOfTenancy,
      (reading, request, query) =>
        listOfPerson(reading, request, invoice, query, async (record) => invoiceView(record), withoutDrafts),
    ),
    read(
      context,
      {
        name: 'payments_list',
        path: '/payments',
        features: ['money'],
        docs: {
          summary: 'List the payments',
          description:
            'The payments that name the person, and the payments for the person’s tenancies and their deposits.',
        },
        response: pageOf(paymentObject),
      },
      pagingOfTenancy,
      async (reading, request, query) => {
        const viewer = viewerOf(request);
        const page = await findPayments(reading.reader, viewer, pageQueryOf(payment, query));
        return listOfIds(reading, request, payment, page, async (record) => paymentView(viewer, record));
      },
    ),
    read(
      context,
      {
        name: 'deposits_list',
        path: '/deposits',
        features: ['money'],
        docs: {
          summary: 'List the deposits',
          description:
            'The deposits that the person pays, and the deposits of the person’s tenancies and applications.',
        },
        response: pageOf(depositObject),
      },
      pagingOfTenancy,
      async (reading, request, query) => {
        const viewer = viewerOf(request);
        const page = await findDeposits(reading.reader, viewer, pageQueryOf(deposit, query));
        return listOfIds(reading, request, deposit, page, (record) => depositView(reading, viewer, record));
      },
    ),
  ];
}
