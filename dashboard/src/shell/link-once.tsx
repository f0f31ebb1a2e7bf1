import type { ReactNode } from 'react';
import { Actions, Button, CodeBlock, CopyButton, ExactTime } from '@tenure/ui';

/**
 * Shows a link, this once. Only its button closes the dialog, so that a click beside it loses nothing. The dialog is that of the form, which
 * gives the focus back to the button that opened it.
 */
export function LinkOnce(props: {
  url: string;
  expiresAt: number;
  /** The status of the e-mail with the link. Null if there is none. */
  emailStatus: string | null;
  onClose: () => void;
}): ReactNode {
  return (
    <>
      <p>
        {handOver(props.emailStatus)} The link works until <ExactTime at={props.expiresAt} isReal />. Copy it now: it is{' '}
        <strong>not shown again</strong>.
      </p>
      <CodeBlock title="Link" text={props.url} />
      <Actions>
        <CopyButton text={props.url} label="Copy the link">
          Copy the link
        </CopyButton>
        <Button look="primary" onPress={props.onClose}>
          Done
        </Button>
      </Actions>
    </>
  );
}

/** Says how the link reaches its person. */
function handOver(emailStatus: string | null): string {
  if (emailStatus === 'queued') return 'The link is on its way by e-mail.';
  if (emailStatus === 'kept') return 'A sandbox sends no e-mail. Hand this link over yourself.';
  return 'Hand this link over yourself, such as by a chat.';
}
