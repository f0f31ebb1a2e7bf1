import { useState, type ReactNode } from 'react';
import type { Account, ProviderCredentialsInput, ReferencingProvider } from 'tenure';
import {
  Actions,
  Button,
  ConfirmDialog,
  Dialog,
  ErrorState,
  ExactTime,
  PasswordField,
  Skeleton,
  Table,
  toast,
} from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Form } from '../../shell/form.tsx';
import pageStyles from '../../shell/page.module.css';
import styles from './settings.module.css';

type Provider = keyof ProviderCredentialsInput;

export const providerNames = ['provider_a', 'provider_b', 'provider_c', 'provider_d'] as const satisfies Provider[];

const stateNames: Record<ReferencingProvider['status'], string> = {
  ready: 'Ready',
  credentials_missing: 'Needs credentials',
  not_set_up: 'Not set up in this deployment',
};

const providersRead = defineRead((tenure, _, options) => tenure.referencingProviders.list({}, options));

/** Shows which services are ready, and sets and removes credentials. The API shows none, and tells of their last change by an event. */
export function CredentialSettings({ account }: { account: Account }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const { data: providers, error } = useRead(providersRead, {});
  const [open, setOpen] = useState<{ provider: ReferencingProvider; action: 'set' | 'remove' } | null>(null);
  const close = (): void => setOpen(null);
  if (error !== null) return <ErrorState error={shownError(error)} />;
  if (!providers) return <Skeleton rows={5} />;
  return (
    <>
      <LastChange account={account} />
      <Table
        label="Provider credentials"
        rows={providers.data}
        columns={[
          { title: 'Provider', cell: ({ id }) => id },
          { title: 'State', cell: ({ status }) => stateNames[status] },
          { title: 'Credentials', cell: credentialsText },
          {
            title: 'Actions',
            align: 'end',
            cell: (provider) => (
              <span className={styles.rowActions}>
                <Button
                  isSmall
                  isDisabled={refusal !== null || provider.status === 'not_set_up'}
                  aria-label={`Set the credentials of ${provider.id}`}
                  onPress={() => setOpen({ provider, action: 'set' })}
                >
                  Set
                </Button>
                <Button
                  isSmall
                  isDisabled={refusal !== null || !provider.credentials_set}
                  aria-label={`Remove the credentials of ${provider.id}`}
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
      {open?.action === 'remove' && <RemoveDialog provider={open.provider.id as Provider} onClose={close} />}
    </>
  );
}

interface SetDialogProps {
  provider: ReferencingProvider;
  onClose: () => void;
}

function credentialsText({ credentials_set: isSet, service }: ReferencingProvider): string {
  if (isSet) return 'Set';
  return service === 'simulated' ? 'None needed in the sandbox' : 'Not set';
}

/** Reads the last event about the credentials of an account. */
const credentialsChangeRead = defineRead((tenure, { account }: { account: string }, options) =>
  tenure.events.list({ type: 'account.credentials_changed', object_id: account, limit: 1 }, options),
);

function LastChange({ account }: { account: Account }): ReactNode {
  const { data } = useRead(credentialsChangeRead, { account: account.id });
  const last = data?.data[0];
  return (
    <p className={pageStyles.quiet}>
      Credentials are stored encrypted, and never shown.{' '}
      {last !== undefined && (
        <>
          Last changed on <ExactTime at={last.created} /> by {last.request.actor?.name ?? last.request.actor?.id}.
        </>
      )}
    </p>
  );
}

function SetDialog({ provider: { id: provider, credential_names: names }, onClose }: SetDialogProps): ReactNode {
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
