import { useState, type FormEvent, type ReactNode } from 'react';
import type { Event } from 'tenure';
import { Actions, Button, Dialog, ErrorState, Link, Select, Skeleton } from '@tenure/ui';
import { useAccountId } from '../../api/client.ts';
import { defineRead, faultOf, shownError, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { useResend, useResendRefusal } from './delivery-card.tsx';
import styles from './deliveries.module.css';

/** A button that sends an event to an endpoint, even to one that has not subscribed to it. */
export function ResendToEndpoint({ event }: { event: Event }): ReactNode {
  const resend = useResendRefusal();
  const read = useRefusal('webhook_endpoints.read');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton isInGroup isSmall refusal={resend ?? read} onPress={() => setOpen(true)}>
        Resend to an endpoint…
      </GatedButton>
      {isOpen && (
        <Dialog title={`Resend ${event.type}`} isOpen onClose={() => setOpen(false)}>
          <EndpointForm event={event} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

/** An account has no more endpoints. */
const endpointsMax = 100;

const endpointsRead = defineRead((tenure, _, options) =>
  tenure.webhookEndpoints.list({ limit: 50 }, options).toArray({ limit: endpointsMax }),
);

function EndpointForm({ event, onClose }: { event: Event; onClose: () => void }): ReactNode {
  const account = useAccountId();
  const [chosen, setChosen] = useState<string | null>(null);
  const endpoints = useRead(endpointsRead, {});
  const resending = useResend(onClose);
  if (endpoints.error)
    return <ErrorState error={shownError(endpoints.error)} onRetry={() => void endpoints.refetch()} />;
  if (endpoints.data === undefined) return <Skeleton rows={3} />;
  // Endpoints for connected accounts take the events of those accounts only, and these are of the account of the page.
  const fitting = endpoints.data.filter(({ status, connected }) => status === 'enabled' && !connected);
  if (fitting.length === 0) {
    return (
      <p>
        No endpoint is enabled. Create or enable one at <Link href="/webhooks">Webhooks</Link>.
      </p>
    );
  }
  const endpoint = chosen ?? fitting[0]!.id;
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    resending.mutate({ event: event.id, endpoint, account });
  };
  const { error } = resending;
  const fault = faultOf(error, 'webhook_endpoint');
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label="Endpoint"
        hint="It gets the event once, even if it has not subscribed to the type."
        choices={fitting.map(({ id, url }) => ({ id, name: `${url} (${id})` }))}
        value={endpoint}
        onChange={setChosen}
        error={fault}
      />
      {error !== null && fault === null && <ErrorState error={shownError(error)} />}
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isDisabled={resending.isPending}>
          Resend
        </Button>
      </Actions>
    </form>
  );
}
