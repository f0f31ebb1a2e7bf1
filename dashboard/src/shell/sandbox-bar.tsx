import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ExactTime } from '@tenure/ui';
import { sessionQuery, useRefusal, useSession } from '../api/session.ts';
import { durationOf } from './duration.ts';
import { GatedButton } from './gated.tsx';
import { useNow } from './now.ts';
import styles from './shell.module.css';

const ClockDialog = lazy(() => import('./clock-dialog.tsx'));

/** Says that this is a sandbox, and its time once it was moved. From here, the clock goes forward. */
export function SandboxBar(props: { isClockOpen: boolean; onClock: (isOpen: boolean) => void }): ReactNode {
  const { isClockOpen, onClock } = props;
  const { mode, clock } = useSession();
  const queries = useQueryClient();
  const refusal = useRefusal('accounts.write');
  // The code of the dialog loads when it is first wanted.
  const [wasOpen, setWasOpen] = useState(false);
  if (isClockOpen && !wasOpen) setWasOpen(true);
  if (mode !== 'sandbox') return null;
  const moved = (): void => {
    onClock(false);
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <div className={styles.sandbox} role="note">
      <span>
        <strong>Sandbox</strong>{' '}
        {clock.ahead_seconds > 0 ? <MovedClock aheadSeconds={clock.ahead_seconds} /> : 'Nothing here is real.'}
      </span>
      <GatedButton isInGroup refusal={refusal} look="plain" isSmall onPress={() => onClock(true)}>
        Move the clock
      </GatedButton>
      {wasOpen && (
        <Suspense>
          <ClockDialog isOpen={isClockOpen} onClose={() => onClock(false)} onMoved={moved} />
        </Suspense>
      )}
    </div>
  );
}

function MovedClock({ aheadSeconds }: { aheadSeconds: number }): ReactNode {
  return (
    <>
      The clock shows <ExactTime at={useNow(1_000)} />, {durationOf(aheadSeconds)} ahead.
    </>
  );
}
