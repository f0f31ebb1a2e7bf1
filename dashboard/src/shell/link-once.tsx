import type { ReactNode } from 'react';
import { Actions, Button, CodeBlock, Time } from '@tenure/ui';

/**
 * Shows a link, this once. Only its button closes the dialog, so that a click beside it loses nothing. The dialog is that of the form, which
 * gives the focus back to the button that opened it.
 */
export function LinkOnce(props: { url: string; expiresAt: number; onClose: () => void }): ReactNode {
  return (
    <>
      <p>
        Hand this link over yourself, such as by a chat. It ends <Time at={props.expiresAt} isReal />, and is{' '}
        <strong>not shown again</strong>.
      </p>
      <CodeBlock title="Link" text={props.url} />
      <Actions>
        <Button look="primary" onPress={props.onClose}>
          Done
        </Button>
      </Actions>
    </>
  );
}
