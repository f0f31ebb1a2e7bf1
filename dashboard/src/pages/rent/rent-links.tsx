import type { ReactNode } from 'react';
import { PageTabs } from '../../list/page-tabs.tsx';

/** The lists about rent. What is overdue comes first. */
const tabs = [
  { href: '/arrears', name: 'In arrears', permission: 'tenancies.read' },
  { href: '/invoices', name: 'Bills', permission: 'invoices.read' },
  { href: '/payments', name: 'Payments', permission: 'payments.read' },
  { href: '/subscriptions', name: 'Regular charges', permission: 'subscriptions.read' },
];

/** Links from each list about rent to the others. */
export function RentLinks(): ReactNode {
  return <PageTabs label="Rent" tabs={tabs} />;
}
