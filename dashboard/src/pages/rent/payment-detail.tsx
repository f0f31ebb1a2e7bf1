import type { ReactNode } from 'react';
import type { Payment } from 'tenure';
import { Details, Table } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { History } from '../../office/history.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { billTitle, methodText, paymentState, receivedText } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers, Notice, PersonLink } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { homeOf, idOf, money } from '../../office/words.ts';
import { paymentRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';
import { payerOf, unitOfPayment } from './payment-words.ts';

const paymentRead = defineRead<Payment, { id: string }>((tenure, { id }, options) =>
  tenure.payments.retrieve(
    id,
    {
      expand: [
        'customer',
        'tenancy.customers',
        'tenancy.unit.building',
        'deposit.unit.building',
        'allocations.invoice',
      ],
    },
    options,
  ),
);

/** One payment: its payer, its purpose, and the bills that it settles. */
export function PaymentPage(): ReactNode {
  const { id } = paymentRoute.useParams();
  const query = useRead(paymentRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Payment"
      parent={{ href: '/payments', name: 'Payments' }}
      query={query}
      titleOf={(payment) => `${money(payment)} from ${payerOf(payment)}`}
      badge={(payment) => <StateMark state={paymentState(payment)} />}
    >
      {(payment) => (
        <>
          {payment.failure !== null && (
            <Notice level={2} tone="bad" title="The payment has failed">
              <p>{payment.failure.message ?? 'The bank gave no reason.'}</p>
            </Notice>
          )}
          <Details items={factsOf(payment)} />
          <Section title="Bills that it settles">
            <Bills payment={payment} />
          </Section>
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={payment} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(payment: Payment): [string, ReactNode][] {
  const { customer, tenancy, deposit, currency, reference } = payment;
  const ifAny = (name: string, amount: number): [string, ReactNode][] =>
    amount === 0 ? [] : [[name, money({ amount, currency })]];
  const home = homeOf(unitOfPayment(payment));
  return [
    ['From', customer === null ? payerOf(payment) : <PersonLink key="from" person={customer} />],
    ...(tenancy === null
      ? []
      : [['Tenancy', <LinkedName key="tenancy" record={tenancy} name={home} />] as [string, ReactNode]]),
    ...(deposit === null
      ? []
      : [['Deposit', <LinkedName key="deposit" record={deposit} name={home} />] as [string, ReactNode]]),
    ['Amount', money(payment)],
    ['Way', methodText(payment.method)],
    ['Received on', receivedText(payment)],
    ['Reference', reference],
    ...ifAny('Not used for a bill yet', payment.amount_unallocated),
    ...ifAny('Returned', payment.amount_refunded),
  ];
}

function Bills({ payment: { allocations, currency } }: { payment: Payment }): ReactNode {
  if (allocations.length === 0) return <p className={styles.quiet}>None.</p>;
  return (
    <Table
      label="Bills that it settles"
      rows={allocations.map(({ invoice, amount }) => ({ id: idOf(invoice), invoice, amount }))}
      hrefOf={({ id }) => `/invoices/${id}`}
      columns={[
        {
          title: 'Bill',
          cell: ({ invoice }) => (typeof invoice === 'object' ? (invoice.number ?? 'A draft') : 'A bill'),
        },
        { title: 'For', cell: ({ invoice }) => (typeof invoice === 'object' ? billTitle(invoice) : '–') },
        { title: 'Settled', align: 'end', cell: ({ amount }) => money({ amount, currency }) },
      ]}
    />
  );
}
