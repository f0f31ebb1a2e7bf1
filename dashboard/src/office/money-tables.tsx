import type { ReactNode } from 'react';
import { useRead } from '../api/requests.ts';
import { StateMark } from './letting-parts.tsx';
import { chargesRead, paymentsRead } from './letting-reads.ts';
import { chargeState, chargeTitle, methodText, paymentState, receivedText, tenancyRentText } from './letting-words.ts';
import { PartTable } from './part-table.tsx';
import { dayText, money } from './words.ts';

/** The payments for a tenancy, as a part of its page. */
export function PaymentTable({ tenancy }: { tenancy: string }): ReactNode {
  const query = useRead(paymentsRead, { tenancy });
  return (
    <PartTable
      label="Payments"
      query={query}
      hrefOf={({ id }) => `/payments/${id}`}
      columns={[
        { title: 'Received', cell: receivedText },
        { title: 'Status', cell: (payment) => <StateMark state={paymentState(payment)} /> },
        { title: 'Way', cell: ({ method }) => methodText(method) },
        { title: 'Reference', cell: ({ reference }) => reference ?? '–' },
        { title: 'Amount', align: 'end', cell: money },
      ]}
    />
  );
}

/** The regular charges of a tenancy, as a part of its page. */
export function ChargeTable({ tenancy }: { tenancy: string }): ReactNode {
  const query = useRead(chargesRead, { tenancy });
  return (
    <PartTable
      label="Regular charges"
      query={query}
      hrefOf={({ id }) => `/subscriptions/${id}`}
      columns={[
        { title: 'For', cell: chargeTitle },
        { title: 'Status', cell: (charge) => <StateMark state={chargeState(charge)} /> },
        { title: 'Next bill', cell: ({ next_invoice_on: day }) => (day === null ? '–' : dayText(day)) },
        { title: 'Amount', align: 'end', cell: tenancyRentText },
      ]}
    />
  );
}
