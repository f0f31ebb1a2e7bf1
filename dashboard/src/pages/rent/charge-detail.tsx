import type { ReactNode } from 'react';
import type { Subscription } from 'tenure';
import { Details } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { BillTable } from '../../office/bill-table.tsx';
import { History } from '../../office/history.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { chargeState, chargeTitle, tenancyRentText, tenantsOf } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers, Notice } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { dayText, homeOf, money } from '../../office/words.ts';
import { chargeRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import { tenancyOf } from './charge-words.ts';

const chargeRead = defineRead<Subscription, { id: string }>((tenure, { id }, options) =>
  tenure.subscriptions.retrieve(id, { expand: ['tenancy.customers', 'tenancy.unit.building'] }, options),
);

/** One regular charge: what is billed, how often, and the bills. */
export function ChargePage(): ReactNode {
  const { id } = chargeRoute.useParams();
  const query = useRead(chargeRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Regular charge"
      parent={{ href: '/subscriptions', name: 'Regular charges' }}
      query={query}
      titleOf={titleOf}
      badge={(charge) => <StateMark state={chargeState(charge)} />}
    >
      {(charge) => (
        <>
          <Change charge={charge} />
          <Details items={factsOf(charge)} />
          <Section title="Bills">
            <BillTable filter={{ subscription: id }} />
          </Section>
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={charge} />
        </>
      )}
    </RecordPage>
  );
}

function titleOf(charge: Subscription): string {
  const tenancy = tenancyOf(charge);
  return tenancy === null ? chargeTitle(charge) : `${chargeTitle(charge)} of ${tenantsOf(tenancy)}`;
}

/** A new amount that is planned. */
function Change({ charge: { scheduled_change: change, currency } }: { charge: Subscription }): ReactNode {
  if (change === null) return null;
  return (
    <Notice
      level={2}
      tone="waiting"
      title={`${money({ amount: change.amount, currency })} from ${dayText(change.effective_on)}`}
    >
      <p>
        The amount changes on that day.
        {change.served_on !== null && ` The tenants were told on ${dayText(change.served_on)}.`}
      </p>
    </Notice>
  );
}

function dueText(days: number): string {
  if (days === 0) return 'On the first day of each period';
  return `${days === 1 ? 'A day' : `${days} days`} after the first day of each period`;
}

function factsOf(charge: Subscription): [string, ReactNode][] {
  const { tenancy, due_after: days, resume_on: resumeOn, next_invoice_on: nextOn } = charge;
  return [
    ['Tenancy', <LinkedName key="tenancy" record={tenancy} name={homeOf(tenancyOf(charge)?.unit ?? null)} />],
    ['Amount', tenancyRentText(charge)],
    ['From', dayText(charge.start_date)],
    ['Until', charge.end_date === null ? 'The tenancy ends' : dayText(charge.end_date)],
    ['Due', dueText(days)],
    ['Next bill', nextOn === null ? 'None' : dayText(nextOn)],
    ...(resumeOn === null ? [] : [['Paused until', dayText(resumeOn)] as [string, ReactNode]]),
  ];
}
