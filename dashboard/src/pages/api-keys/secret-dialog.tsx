import type { ReactNode } from 'react';
import type { ApiKeyWithSecret } from 'tenure';
import { Actions, Button, CodeBlock, Dialog } from '@tenure/ui';

/** Shows the secret of a new key once. Only its button closes the dialog, and the page then forgets the secret. */
export function SecretDialog({ made, onClose }: { made: ApiKeyWithSecret | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Store this key now" isOpen={made !== null}>
      <p>Copy the key to the place where your program reads its secrets. It is never shown again.</p>
      <CodeBlock title="API key" text={made?.secret ?? ''} />
      <Actions>
        <Button look="primary" onPress={onClose}>
          I have stored it
        </Button>
      </Actions>
    </Dialog>
  );
}
