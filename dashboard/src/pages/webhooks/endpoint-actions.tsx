import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { WebhookEndpoint } from 'tenure';
import { Button, ConfirmDialog, ErrorState, Icon, Menu, toast } from '@tenure/ui';
import { shownError, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { EditEndpointDialog } from './endpoint-form.tsx';
import { RecoverDialog } from './recoveries.tsx';
import { RollSecretDialog } from './secret.tsx';

type OpenDialog = 'edit' | 'recover' | 'disable' | 'roll' | 'delete';

const disabledText = 'The endpoint is disabled';

/** What a person can do with an endpoint. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const refusal = useRefusal('webhook_endpoints.write');
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = (): void => setOpen(null);
  const isEnabled = endpoint.status === 'enabled';
  const enabling = useWrite(
    (tenure, id: string, options) => tenure.webhookEndpoints.update(id, { status: 'enabled' }, options),
    { onDone: () => toast('Enabled, for events from now on. Recover sends the earlier ones.') },
  );
  const entry = (id: OpenDialog, name: string, reason: string | null = refusal, isDanger = false) => ({
    id,
    name,
    isDanger,
    onAction: () => setOpen(id),
    ...(reason !== null && { disabledReason: reason }),
  });
  return (
    <>
      <PingButton endpoint={endpoint} />
      <GatedButton isInGroup refusal={refusal} onPress={() => setOpen('edit')}>
        Edit
      </GatedButton>
      {!isEnabled && (
        <GatedButton
          isInGroup
          look="primary"
          refusal={refusal}
          isDisabled={enabling.isPending}
          onPress={() => enabling.mutate(endpoint.id)}
        >
          Enable
        </GatedButton>
      )}
      <Menu
        trigger={
          <Button isIcon aria-label="More actions">
            <Icon name="more" />
          </Button>
        }
        groups={[
          {
            id: 'deliveries',
            entries: [entry('recover', 'Recover missed events…', refusal ?? (isEnabled ? null : disabledText))],
          },
          {
            id: 'danger',
            entries: [
              ...(isEnabled ? [entry('disable', 'Disable…')] : []),
              entry('roll', 'Roll the signing secret…', refusal, true),
              entry('delete', 'Delete…', refusal, true),
            ],
          },
        ]}
      />
      {enabling.error !== null && <ErrorState error={shownError(enabling.error)} />}
      {open === 'edit' && <EditEndpointDialog endpoint={endpoint} onClose={close} />}
      {open === 'recover' && <RecoverDialog endpoint={endpoint} onClose={close} />}
      {open === 'disable' && <DisableDialog endpoint={endpoint} onClose={close} />}
      {open === 'roll' && <RollSecretDialog endpoint={endpoint} onClose={close} />}
      {open === 'delete' && <DeleteDialog endpoint={endpoint} onClose={close} />}
    </>
  );
}

/** Sends a test event to the endpoint. */
export function PingButton({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }): ReactNode {
  const refusal = useRefusal('webhook_endpoints.write');
  const pinging = useWrite((tenure, endpoint: string, options) => tenure.webhookEndpoints.ping(endpoint, {}, options), {
    onDone: () => toast('Pinged. The deliveries show the answer.'),
  });
  return (
    <>
      <GatedButton
        isInGroup
        refusal={refusal ?? (status === 'enabled' ? null : disabledText)}
        isDisabled={pinging.isPending}
        onPress={() => pinging.mutate(id)}
      >
        Ping
      </GatedButton>
      {pinging.error !== null && <ErrorState error={shownError(pinging.error)} />}
    </>
  );
}

interface EndpointDialogProps {
  endpoint: WebhookEndpoint;
  onClose: () => void;
}

function DisableDialog({ endpoint: { id, url }, onClose }: EndpointDialogProps): ReactNode {
  const disabling = useWrite(
    (tenure, endpoint: string, options) => tenure.webhookEndpoints.update(endpoint, { status: 'disabled' }, options),
    {
      onDone: () => {
        toast(`Disabled ${id}.`);
        onClose();
      },
    },
  );
  return (
    <ConfirmDialog
      title={`Disable ${id}?`}
      isOpen
      confirmText="Disable endpoint"
      isPending={disabling.isPending}
      onCancel={onClose}
      onConfirm={() => disabling.mutate(id)}
    >
      <p>
        <code>{url}</code> gets no new deliveries, and its pending ones are canceled. After you enable it again, you can
        recover the events that it missed.
      </p>
      {disabling.error !== null && <ErrorState error={shownError(disabling.error)} />}
    </ConfirmDialog>
  );
}

function DeleteDialog({ endpoint: { id, url }, onClose }: EndpointDialogProps): ReactNode {
  const navigate = useNavigate();
  const deleting = useWrite((tenure, endpoint: string, options) => tenure.webhookEndpoints.delete(endpoint, options), {
    onDone: () => {
      toast(`Deleted ${id}.`);
      void navigate({ to: '/webhooks' });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${id}?`}
      isOpen
      confirmText="Delete endpoint"
      isPending={deleting.isPending}
      onCancel={onClose}
      onConfirm={() => deleting.mutate(id)}
    >
      <p>
        <code>{url}</code> gets no more events. The endpoint, its secret and the list of its deliveries are gone for
        good.
      </p>
      {deleting.error !== null && <ErrorState error={shownError(deleting.error)} />}
    </ConfirmDialog>
  );
}
