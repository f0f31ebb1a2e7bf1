import type { ReactNode } from 'react';
import type { Payment, PaymentsListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { methodText, paymentMethods, paymentState } from '../../office/letting-words.ts';
import { homeOf, money, numberOf, shortDay } from '../../office/words.ts';
import { paymentListRoute } from '../../routes.tsx';
import { payerOf, unitOfPayment } from './payment-words.ts';
import { RentLinks } from './rent-links.tsx';

const paymentList: ListDefinition<Payment, 'status' | 'method'> = {
  title: 'Payments',
  noun: 'payments',
  load: (tenure, params, options) =>
    tenure.payments.list(
      {
        ...(params as PaymentsListParams),
        expand: ['data.customer', 'data.tenancy.customers', 'data.tenancy.unit.building', 'data.deposit.unit.building'],
      },
      options,
    ),
  hrefOf: ({ id }) => `/payments/${id}`,
  columns: [
    { title: 'From', cell: payerOf },
    { title: 'Amount', align: 'end', cell: money },
    { title: 'Status', cell: (payment) => <StateMark state={paymentState(payment)} /> },
    { title: 'Received', cell: ({ received_on: day }) => (day === null ? '–' : shortDay(day)) },
    { title: 'Home', cell: (payment) => homeOf(unitOfPayment(payment)) },
    { title: 'Way', cell: ({ method }) => methodText(method) },
    { title: 'Reference', cell: ({ reference }) => reference ?? '–' },
  ],
  sheet: (payment) => ({
    From: payerOf(payment),
    Amount: numberOf(payment),
    Returned: numberOf({ amount: payment.amount_refunded, currency: payment.currency }),
    'Not used for a bill': numberOf({ amount: payment.amount_unallocated, currency: payment.currency }),
    Currency: payment.currency.toUpperCase(),
    Status: paymentState(payment).name,
    'Received on': payment.received_on,
    Home: homeOf(unitOfPayment(payment)),
    Way: methodText(payment.method),
    Reference: payment.reference,
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'pending', name: 'On its way' },
        { id: 'succeeded', name: 'Received' },
        { id: 'failed', name: 'Failed' },
        { id: 'refunded', name: 'Returned' },
        { id: 'canceled', name: 'Cancelled' },
      ],
    },
    { name: 'method', label: 'Way', isClosed: true, choices: paymentMethods },
  ],
  empty: {
    title: 'No payments yet',
    text: 'Your connected programs enter payments, or take them from bank statements and payment services.',
  },
};

/** The list of payments. */
export function PaymentListPage(): ReactNode {
  return <ListPage list={paymentList} search={paymentListRoute.useSearch()} tabs={<RentLinks />} />;
}
