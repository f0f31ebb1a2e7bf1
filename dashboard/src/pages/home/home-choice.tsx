import type { ReactNode } from 'react';
import { Button } from '@tenure/ui';
import { useUser } from '../../api/session.ts';
import { setPreferences, usePreferences } from '../../preferences.ts';
import { worksInOffice } from '../../shell/navigation.ts';

/** Changes between the two start pages. A person without logs has that of the office only. */
export function HomeChoice(): ReactNode {
  const { permissions } = useUser();
  const { home } = usePreferences();
  if (worksInOffice(permissions)) return null;
  const other = home === 'office' ? 'developers' : 'office';
  return (
    <Button onPress={() => setPreferences({ home: other })}>
      {other === 'office' ? 'Home of the office' : 'Home of developers'}
    </Button>
  );
}
