import { useState, type ReactNode } from 'react';
import type { RetentionHold, RetentionHoldWithSecret } from 'tenure';
import { Actions, Badge, Button, Details, Dialog, ErrorState, Skeleton, Table, TextField } from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { useTenure } from '../../api/client.ts';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { saveBlob } from '../../list/export.ts';
import styles from '../../office/office.module.css';
import { addressLine, dayText } from '../../office/words.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { dutyText } from './hold-words.ts';

const holdsRead = defineRead<RetentionHold[], { customer: string }>(async (tenure, { customer }, options) => {
  const { data } = await tenure.retentionHolds.list({ customer, limit: 50 }, options).page();
  return data;
});

/** What legal duties keep of an erased person, with a button that reveals it. */
export function Holds({ customer }: { customer: string }): ReactNode {
  const { data, error, refetch } = useRead(holdsRead, { customer });
  const [revealing, setRevealing] = useState<RetentionHold | null>(null);
  const refusal = useRefusal('retention_holds.write');
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={2} />;
  if (data.length === 0) return <p className={styles.quiet}>Nothing.</p>;
  return (
    <>
      <Table
        label="Kept by law"
        rows={data}
        columns={[
          { title: 'Duty', cell: ({ kind }) => dutyText(kind) },
          { title: 'Status', cell: (hold) => <HoldBadge hold={hold} /> },
          { title: 'Until', cell: ({ until }) => dayText(until) },
          { title: 'Law', cell: ({ basis }) => basis },
          {
            title: 'Data',
            cell: (hold) =>
              hold.status === 'held' && (
                <GatedButton isInGroup isSmall refusal={refusal} onPress={() => setRevealing(hold)}>
                  Reveal…
                </GatedButton>
              ),
          },
        ]}
      />
      {revealing !== null && (
        <RevealDialog
          hold={revealing}
          onClose={() => {
            setRevealing(null);
            void refetch();
          }}
        />
      )}
    </>
  );
}

/** Whether the data is still kept. */
export function HoldBadge({ hold: { status } }: { hold: RetentionHold }): ReactNode {
  return status === 'held' ? <Badge tone="warning">Kept</Badge> : <Badge tone="neutral">Erased</Badge>;
}

/** Asks for a reason, and then shows the data until it is closed. The data is nowhere but in this dialog. */
function RevealDialog({ hold, onClose }: { hold: RetentionHold; onClose: () => void }): ReactNode {
  const tenure = useTenure();
  const [reason, setReason] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [revealed, setRevealed] = useState<RetentionHoldWithSecret | null>(null);
  const reveal = async (): Promise<void> => {
    setPending(true);
    setError(null);
    try {
      setRevealed(await ask(() => tenure.retentionHolds.reveal(hold.id, { reason: reason.trim() })));
    } catch (failure) {
      setError(failure as Error);
    }
    setPending(false);
  };
  return (
    <Dialog title={`Reveal: ${dutyText(hold.kind)}`} isOpen isWide onClose={onClose}>
      {revealed === null ? (
        <form
          className={styles.lines}
          onSubmit={(event) => {
            event.preventDefault();
            if (reason.trim() !== '') void reveal();
          }}
        >
          <p>The history keeps your name and the reason. It does not keep the data.</p>
          <TextField label="Why do you need the data?" value={reason} onChange={setReason} autoComplete="off" />
          {error !== null && <ErrorState error={shownError(error)} />}
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={reason.trim() === '' || isPending}>
              Reveal
            </Button>
          </Actions>
        </form>
      ) : (
        <div className={styles.lines}>
          <Content hold={revealed} />
          <Actions>
            <Button onPress={onClose}>Close</Button>
          </Actions>
        </div>
      )}
    </Dialog>
  );
}

function Content({ hold: { id, content } }: { hold: RetentionHoldWithSecret }): ReactNode {
  const tenure = useTenure();
  const [error, setError] = useState<Error | null>(null);
  const { name, address, right_to_rent: right, files } = content;
  const save = async (file: string, filename: string): Promise<void> => {
    setError(null);
    try {
      const response = await ask(() => tenure.retentionHolds.contents(id, { file }));
      saveBlob(filename, await response.blob());
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <>
      <Details
        items={[
          ...(name === null ? [] : [['Name', name] as const]),
          ...(address === null ? [] : [['Last address', addressLine(address)] as const]),
          ...(right === null
            ? []
            : ([
                ['Right to rent', right.status === 'unlimited' ? 'Without an end' : 'Limited in time'],
                ['Checked on', dayText(right.checked_on)],
                ['Ends on', right.expires_on === null ? 'Never' : dayText(right.expires_on)],
              ] as const)),
          ...files.map(
            ({ file, filename }) =>
              [
                'File',
                <Button key={file} onPress={() => void save(file, filename)}>
                  {filename}
                </Button>,
              ] as const,
          ),
        ]}
      />
      {error !== null && <ErrorState error={shownError(error)} />}
    </>
  );
}
