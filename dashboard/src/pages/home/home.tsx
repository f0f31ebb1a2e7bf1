import { lazy, Suspense, type ReactNode } from 'react';
import { Skeleton } from '@tenure/ui';
import { useUser } from '../../api/session.ts';
import { usePreferences } from '../../preferences.ts';
import { worksInOffice } from '../../shell/navigation.ts';

const OfficeHome = lazy(async () => ({ default: (await import('./office-home.tsx')).OfficeHome }));
const DevelopersHome = lazy(async () => ({ default: (await import('./developers-home.tsx')).DevelopersHome }));

/** The start page: that of the office or that of developers, as the person prefers. A person without logs works in the office. */
export function HomePage(): ReactNode {
  const { permissions } = useUser();
  const { home } = usePreferences();
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      {worksInOffice(permissions) || home === 'office' ? <OfficeHome /> : <DevelopersHome />}
    </Suspense>
  );
}
