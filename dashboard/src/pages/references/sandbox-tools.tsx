import { useState, type ReactNode } from 'react';
import type { Reference, Tenure, RequestOptions } from 'tenure';
import { Button, ErrorState, Select, TextField, toast } from '@tenure/ui';
import { shownError, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { outcomes } from '../../office/checks.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';

type Move = { kind: 'advance' | 'fail' } | { kind: 'complete'; outcome: string } | { kind: 'note'; message: string };

/** What only a sandbox has: the simulated service does what the reader wants to see. */
export function SandboxTools({ reference }: { reference: Reference }): ReactNode {
  const refusal = useRefusal('references.write');
  const [outcome, setOutcome] = useState('accept');
  const [message, setMessage] = useState('The employer has confirmed the salary.');
  const playing = useWrite<Move, Reference>((tenure, move, options) => play(tenure, reference.id, move, options), {
    onDone: () => toast('The simulated service has done it.'),
  });
  const isDisabled = playing.isPending;
  return (
    <Section title="Simulated service">
      <p className={styles.quiet}>Only a sandbox has these buttons. No person is checked or written to.</p>
      <div className={styles.buttons}>
        <GatedButton
          refusal={refusal}
          isInGroup
          isDisabled={isDisabled}
          onPress={() => playing.mutate({ kind: 'advance' })}
        >
          Take the next step
        </GatedButton>
        <GatedButton
          refusal={refusal}
          isInGroup
          isDisabled={isDisabled}
          onPress={() => playing.mutate({ kind: 'fail' })}
        >
          Fail
        </GatedButton>
      </div>
      <div className={styles.pair}>
        <form
          className={styles.lines}
          onSubmit={(event) => {
            event.preventDefault();
            playing.mutate({ kind: 'complete', outcome });
          }}
        >
          <Select label="Finish with" choices={outcomes} value={outcome} onChange={setOutcome} />
          <div>
            <Button type="submit" isDisabled={isDisabled || refusal !== null}>
              Finish
            </Button>
          </div>
        </form>
        <form
          className={styles.lines}
          onSubmit={(event) => {
            event.preventDefault();
            playing.mutate({ kind: 'note', message });
          }}
        >
          <TextField label="Write a note" value={message} onChange={setMessage} isRequired maxLength={500} />
          <div>
            <Button type="submit" isDisabled={isDisabled || refusal !== null}>
              Add the note
            </Button>
          </div>
        </form>
      </div>
      {playing.error !== null && <ErrorState error={shownError(playing.error)} />}
    </Section>
  );
}

function play(tenure: Tenure, id: string, move: Move, options: RequestOptions): PromiseLike<Reference> {
  const { references } = tenure.testHelpers;
  switch (move.kind) {
    case 'advance':
      return references.advance(id, {}, options);
    case 'fail':
      return references.fail(id, {}, options);
    case 'complete':
      return references.complete(id, { outcome: move.outcome as 'accept' }, options);
    case 'note':
      return references.note(id, { message: move.message }, options);
  }
}
