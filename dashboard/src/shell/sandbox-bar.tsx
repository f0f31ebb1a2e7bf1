import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Button, ExactTime } from '@tenure/ui';
import { sessionQuery, useSession } from '../api/session.ts';
import { durationOf } from './duration.ts';
import { useNow } from './now.ts';
import styles from './shell.module.css';

const ClockDialog = lazy(() => import('./clock-dialog.tsx'));

/** Says that this is a sandbox, and its time once it was moved. From here, the clock goes forward. */
export function SandboxBar(): ReactNode {
  const { mode, clock } = useSession();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  // The code of the dialog loads when it is first wanted.
  const [wasOpen, setWasOpen] = useState(false);
  if (mode !== 'sandbox') return null;
  const moved = (): void => {
    setOpen(false);
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <div className={styles.sandbox} role="note">
      <span>
        <strong>Sandbox</strong>{' '}
        {clock.ahead_seconds > 0 ? <MovedClock aheadSeconds={clock.ahead_seconds} /> : 'Nothing here is real.'}
      </span>
      <Button
        look="plain"
        isSmall
        onPress={() => {
          setWasOpen(true);
          setOpen(true);
        }}
      >
        Move the clock
      </Button>
      {wasOpen && (
        <Suspense>
          <ClockDialog isOpen={isOpen} onClose={() => setOpen(false)} onMoved={moved} />
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
