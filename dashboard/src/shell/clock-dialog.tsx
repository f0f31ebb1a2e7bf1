import { useState, type ReactNode } from 'react';
import { Actions, Button, Dialog, ExactTime, Select, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../api/requests.ts';
import { useRefusal } from '../api/session.ts';
import { Form } from './form.tsx';
import { GatedButton } from './gated.tsx';
import { useNow } from './now.ts';
import styles from './shell.module.css';

const steps = [
  { id: '3600', name: '1 hour' },
  { id: '86400', name: '1 day' },
  { id: '259200', name: '3 days' },
  { id: '604800', name: '7 days' },
];

/** Moves the clock of the sandbox forward. It says what follows, because no move can be undone. */
export default function ClockDialog({
  isOpen,
  onClose,
  onMoved,
}: {
  isOpen: boolean;
  onClose: () => void;
  onMoved: () => void;
}): ReactNode {
  return (
    <Dialog title="Move the clock forward" isOpen={isOpen} onClose={onClose}>
      <ClockForm onClose={onClose} onMoved={onMoved} />
    </Dialog>
  );
}

function ClockForm({ onClose, onMoved }: { onClose: () => void; onMoved: () => void }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const now = useNow(1_000);
  const [seconds, setSeconds] = useState('3600');
  const { name } = steps.find(({ id }) => id === seconds)!;
  const moving = useWrite(
    (tenure, input: { seconds: number }, options) => tenure.testHelpers.clock.advance(input, options),
    {
      onDone: () => {
        toast(`The clock is ${name} further`);
        onMoved();
      },
    },
  );
  return (
    <Form
      error={moving.error}
      fields={['seconds']}
      onSubmit={() => moving.mutate({ seconds: Number(seconds) })}
      actions={
        <Actions>
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- A move cannot be undone, so the dialog begins on Cancel. */}
          <Button autoFocus onPress={onClose}>
            Cancel
          </Button>
          <GatedButton refusal={refusal} look="danger" type="submit" isDisabled={moving.isPending}>
            Move by {name}
          </GatedButton>
        </Actions>
      }
    >
      <Select
        label="How far"
        choices={steps}
        value={seconds}
        onChange={setSeconds}
        error={faultOf(moving.error, 'seconds')}
        hint={
          <>
            The clock will show: <ExactTime at={now + Number(seconds)} />
          </>
        }
      />
      <div className={styles.consequences}>
        <p>The clock never goes back. It is the same for all accounts of this deployment. What falls due follows:</p>
        <ul>
          <li>Webhook deliveries that wait are tried again, or given up.</li>
          <li>API keys and idempotency keys whose time is over expire.</li>
          <li>The time to roll back an upgrade passes.</li>
          <li>Events and logs older than the retention are deleted.</li>
        </ul>
        <p>Sessions, invitations and other links go by real time, so that no move ends them.</p>
      </div>
    </Form>
  );
}
