import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import {
  Actions,
  Button,
  ConfirmDialog,
  Dialog,
  ErrorState,
  Skeleton,
  Table,
  TextField,
  Time,
  toast,
} from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { clientFor } from '../../api/client.ts';
import { canUsePasskeys, makePasskey, pageWithPasskeys, type OwnPasskey } from '../../api/passkeys.ts';
import { defineRead, faultOf, shownError, useRead } from '../../api/requests.ts';
import { useSessionChange, type Session } from '../../api/session.ts';
import { PasskeysElsewhere } from '../passkey-sign-in.tsx';
import { browserName } from './browser-name.ts';
import styles from './me.module.css';

/** Makes a passkey of this name and adds it to the person. */
export function useNewPasskey(): UseMutationResult<Session, Error, string> {
  const change = useSessionChange();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      const passkey = await ask(makePasskey);
      return ask(() => change('/auth/passkeys/finish', { name, passkey }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api'] }),
  });
}

const passkeysRead = defineRead((_, _input, options) =>
  clientFor().request<{ data: OwnPasskey[] }>('GET', '/auth/passkeys', undefined, options),
);

/** The passkeys of the person: a list, a button to add one, and one to remove each. */
export function Passkeys(): ReactNode {
  const passkeys = useRead(passkeysRead, {});
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<OwnPasskey | null>(null);
  const rows = passkeys.data?.data;
  return (
    <div className={styles.form}>
      <p className={styles.quiet}>
        A passkey signs you in by fingerprint, face or PIN. It needs no password and no code, and no other site can ask
        for it.
      </p>
      {passkeys.error && <ErrorState error={shownError(passkeys.error)} onRetry={() => void passkeys.refetch()} />}
      {rows === undefined && passkeys.error === null && <Skeleton rows={1} />}
      {rows && rows.length > 0 && (
        <Table
          label="Passkeys"
          rows={rows}
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Added', cell: ({ created }) => <Time at={created} isReal /> },
            {
              title: 'Last used',
              cell: ({ last_used_at: used }) => (used === null ? 'never' : <Time at={used} isReal />),
            },
            {
              title: 'Action',
              align: 'end',
              cell: (passkey) => (
                <Button isSmall aria-label={`Remove ${passkey.name}`} onPress={() => setRemoved(passkey)}>
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      <PasskeysElsewhere isSignedIn />
      {!canUsePasskeys && pageWithPasskeys() === null && (
        <p className={styles.quiet}>This browser cannot add a passkey at this address.</p>
      )}
      {canUsePasskeys && (
        <div className={styles.row}>
          <Button onPress={() => setIsAdding(true)}>Add a passkey</Button>
        </div>
      )}
      <Dialog title="Add a passkey" isOpen={isAdding} onClose={() => setIsAdding(false)}>
        <NewPasskey onEnd={() => setIsAdding(false)} />
      </Dialog>
      {removed && <Removal key={removed.id} passkey={removed} onEnd={() => setRemoved(null)} />}
    </div>
  );
}

function NewPasskey({ onEnd }: { onEnd: () => void }): ReactNode {
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const adding = useNewPasskey();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    adding.mutate(name.trim(), {
      onSuccess() {
        onEnd();
        toast('The passkey was added. Your other sessions have ended.');
      },
    });
  };
  const fault = faultOf(adding.error, 'name');
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="Name"
        hint="So that you know it again, such as the name of the device."
        value={name}
        onChange={setName}
        isRequired
        error={fault}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- The field is the only one of the dialog.
        autoFocus
      />
      {adding.error && fault === null && <ErrorState error={shownError(adding.error)} />}
      <Actions>
        <Button onPress={onEnd}>Cancel</Button>
        <Button look="primary" type="submit" isDisabled={adding.isPending}>
          Continue
        </Button>
      </Actions>
    </form>
  );
}

function Removal({ passkey, onEnd }: { passkey: OwnPasskey; onEnd: () => void }): ReactNode {
  const change = useSessionChange();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => ask(() => change('/auth/passkeys/remove', { id: passkey.id })),
    onSuccess: async () => {
      onEnd();
      toast('The passkey was removed. Your other sessions have ended.');
      await queries.invalidateQueries({ queryKey: ['api'] });
    },
  });
  return (
    <ConfirmDialog
      title={`Remove the passkey ${passkey.name}?`}
      confirmText="Remove passkey"
      isOpen
      isPending={removing.isPending}
      onCancel={onEnd}
      onConfirm={() => removing.mutate()}
    >
      {removing.error && <ErrorState error={shownError(removing.error)} />}
      It no longer signs you in, and your other sessions end. Delete it in your browser or password manager, too.
    </ConfirmDialog>
  );
}
