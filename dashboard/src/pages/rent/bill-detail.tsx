import type { ReactNode } from 'react';
import type { Invoice } from 'tenure';
import { Details, Table } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { History } from '../../office/history.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { billState, billTitle, tenantsOf } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers, Notice } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { dayText, homeOf, money } from '../../office/words.ts';
import { billRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import { unitOfBill } from './bill-words.ts';

const billRead = defineRead<Invoice, { id: string }>((tenure, { id }, options) =>
  tenure.invoices.retrieve(id, { expand: ['customers', 'tenancy.unit.building'] }, options),
);

/** One bill: its lines, what was paid, and what is still to pay. */
export function BillPage(): ReactNode {
  const { id } = billRoute.useParams();
  const query = useRead(billRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Bill"
      parent={{ href: '/invoices', name: 'Bills' }}
      query={query}
      titleOf={(bill) => bill.number ?? 'Draft of a bill'}
      badge={(bill) => <StateMark state={billState(bill)} />}
    >
      {(bill) => (
        <>
          {bill.void_reason !== null && (
            <Notice level={2} tone="neutral" title="Cancelled">
              <p>{bill.void_reason}</p>
            </Notice>
          )}
          <Details items={factsOf(bill)} />
          <Section title="Lines">
            <Table
              label="Lines"
              rows={bill.lines.map((line, index) => ({ id: String(index), ...line }))}
              columns={[
                { title: 'For', cell: ({ description }) => description },
                {
                  title: 'Amount',
                  align: 'end',
                  cell: ({ amount }) => money({ amount, currency: bill.currency }),
                },
              ]}
            />
          </Section>
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={bill} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(bill: Invoice): [string, ReactNode][] {
  const { tenancy, currency } = bill;
  const sum = (amount: number): string => money({ amount, currency });
  return [
    ['Tenants', tenantsOf(bill)],
    ['Tenancy', <LinkedName key="tenancy" record={tenancy} name={homeOf(unitOfBill(bill))} />],
    ['For', billTitle(bill)],
    ['Due', dayText(bill.due_on)],
    ['Total', sum(bill.total)],
    ['Paid', sum(bill.amount_paid)],
    ...(bill.amount_credited === 0 ? [] : [['Credited', sum(bill.amount_credited)] as [string, ReactNode]]),
    ['Still to pay', sum(bill.amount_due)],
  ];
}
