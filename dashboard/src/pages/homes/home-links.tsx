import type { ReactNode } from 'react';
import { PageTabs } from '../../list/page-tabs.tsx';

const tabs = [
  { href: '/units', name: 'List', permission: 'units.read' },
  { href: '/units/board', name: 'Board', permission: 'units.read' },
  { href: '/units/calendar', name: 'Calendar', permission: 'tenancies.read' },
  { href: '/buildings', name: 'Buildings', permission: 'buildings.read' },
];

/** Links between the views of the homes. */
export function HomeLinks(): ReactNode {
  return <PageTabs label="Properties" tabs={tabs} />;
}
