import type { ReactNode } from 'react';
import { Button, Icon, Menu } from '@tenure/ui';

/** A menu with an action that people rarely want, and that cannot be undone. */
export function MoreActions(props: { name: string; refusal: string | null; onAction: () => void }): ReactNode {
  const { name, refusal, onAction } = props;
  return (
    <Menu
      trigger={
        <Button aria-label="More actions">
          <Icon name="more" />
          More
        </Button>
      }
      groups={[
        {
          id: 'actions',
          entries: [
            { id: 'action', name, isDanger: true, onAction, ...(refusal !== null && { disabledReason: refusal }) },
          ],
        },
      ]}
    />
  );
}
