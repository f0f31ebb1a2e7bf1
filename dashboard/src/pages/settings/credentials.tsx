import { useState, type ReactNode } from 'react';
import type { Account, ProviderCredentialsInput } from 'tenure';
import { Actions, Button, ConfirmDialog, Dialog, ErrorState, ExactTime, PasswordField, Table, toast } from '@tenure/ui';
import { faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Form } from '../../shell/form.tsx';
import pageStyles from '../../shell/page.module.css';
import styles from './settings.module.css';

type Provider = keyof ProviderCredentialsInput;

/** What each provider needs, by the names of the API. */
const credentialsOf = {
  provider_a: ['api_key', 'signing_secret'],
  provider_b: ['username', 'password'],
  provider_c: ['api_key', 'signing_secret'],
  provider_d: ['token'],
} satisfies {
  [Name in Provider]: (keyof NonNullable<ProviderCredentialsInput[Name]>)[];
};

export const providerNames = Object.keys(credentialsOf) as Provider[];

/** Sets and removes credentials. The API shows none, and tells of their last change by an event. */
export function CredentialSettings({ account }: { account: Account }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const [open, setOpen] = useState<{ provider: Provider; action: 'set' | 'remove' } | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <LastChange account={account} />
      <Table
        label="Provider credentials"
        rows={providerNames.map((id) => ({ id }))}
        columns={[
          { title: 'Provider', cell: ({ id }) => id },
          {
            title: 'Actions',
            align: 'end',
            cell: ({ id: provider }) => (
              <span className={styles.rowActions}>
                <Button
                  isSmall
                  isDisabled={refusal !== null}
                  aria-label={`Set the credentials of ${provider}`}
                  onPress={() => setOpen({ provider, action: 'set' })}
                >
                  Set
                </Button>
                <Button
                  isSmall
                  isDisabled={refusal !== null}
                  aria-label={`Remove the credentials of ${provider}`}
                  onPress={() => setOpen({ provider, action: 'remove' })}
                >
                  Remove
                </Button>
              </span>
            ),
          },
        ]}
      />
      {refusal !== null && <p className={pageStyles.quiet}>{refusal}</p>}
      {open?.action === 'set' && <SetDialog provider={open.provider} onClose={close} />}
      {open?.action === 'remove' && <RemoveDialog provider={open.provider} onClose={close} />}
    </>
  );
}

function LastChange({ account }: { account: Account }): ReactNode {
  const { data } = useRead(['credentials changed', account.id], (tenure, options) =>
    tenure.events.list({ type: 'account.credentials_changed', object_id: account.id, limit: 1 }, options),
  );
  const last = data?.data[0];
  return (
    <p className={pageStyles.quiet}>
      Credentials are stored encrypted, and never shown.{' '}
      {last !== undefined && (
        <>
          Last set on <ExactTime at={last.created} /> by {last.request.actor?.name ?? last.request.actor?.id}.
        </>
      )}
    </p>
  );
}

function SetDialog({ provider, onClose }: { provider: Provider; onClose: () => void }): ReactNode {
  const names: readonly string[] = credentialsOf[provider];
  const [values, setValues] = useState<Record<string, string>>({});
  const saving = useSaving(() => {
    toast(`Set the credentials of ${provider}`);
    onClose();
  });
  const paramOf = (name: string): string => `provider_credentials[${provider}][${name}]`;
  return (
    <Dialog title={`Credentials of ${provider}`} isOpen onClose={onClose}>
      <Form
        error={saving.error}
        fields={names.map(paramOf)}
        onSubmit={() =>
          saving.mutate({ [provider]: Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) })
        }
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={saving.isPending}>
              Set the credentials
            </Button>
          </Actions>
        }
      >
        <p>They replace earlier ones of {provider}. References that run already use the new ones, too.</p>
        {names.map((name) => (
          <PasswordField
            key={name}
            label={nameOf(name)}
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
            isRequired
            autoComplete="off"
            error={faultOf(saving.error, paramOf(name))}
          />
        ))}
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ provider, onClose }: { provider: Provider; onClose: () => void }): ReactNode {
  const saving = useSaving(() => {
    toast(`Removed the credentials of ${provider}`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove the credentials of ${provider}?`}
      isOpen
      confirmText="Remove the credentials"
      isPending={saving.isPending}
      onCancel={onClose}
      onConfirm={() => saving.mutate({ [provider]: null })}
    >
      <p>References with {provider} fail until you set new ones.</p>
      {saving.error !== null && <ErrorState error={shownError(saving.error)} />}
    </ConfirmDialog>
  );
}

function useSaving(onDone: () => void): ReturnType<typeof useWrite<ProviderCredentialsInput, Account>> {
  return useWrite(
    (tenure, input: ProviderCredentialsInput, options) =>
      tenure.account.update({ provider_credentials: input }, options),
    { onDone },
  );
}

/** Returns the name of a credential for people. */
function nameOf(credential: string): string {
  const text = credential.replaceAll('_', ' ').replace('api', 'API');
  return text[0]!.toUpperCase() + text.slice(1);
}
