import { useState, type ReactNode } from 'react';
import { operations, type Account } from 'tenure';
import { Actions, Button, Dialog, Id, TextField, Time, toast } from '@tenure/ui';
import { clientFor, useAccountId } from '../../api/client.ts';
import { faultOf, useWrite } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { accountListRoute } from '../../routes.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';

const accountList: ListDefinition<Account, never> = {
  title: 'Connected accounts',
  noun: 'connected accounts',
  // Only the own account has connected ones, also while the person acts as one of them.
  load: (_, params, options) => clientFor().accounts.list(params, options),
  hrefOf: ({ id }) => `/?account=${id}`,
  columns: [
    { title: 'Act as', cell: ({ name }) => name },
    { title: 'Id', cell: ({ id }) => <Id id={id} /> },
    { title: 'API version', cell: ({ api_version: version }) => version ?? 'none yet' },
    { title: 'Default provider', cell: ({ default_provider: provider }) => provider ?? 'none' },
    { title: 'Created', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [],
  empty: {
    title: 'No connected accounts',
    text: 'A platform makes an account for each of its customers, and acts for it. Such an account has its own records. You act for it with your own key, or create keys that act for it alone.',
    curl: curlOf(operations.accounts.create, { body: { name: 'Ouse Lettings' } }),
    action: <CreateAccount />,
  },
};

/** The accounts that are connected to the person's own. A row leads to the dashboard of its account. */
export function AccountListPage(): ReactNode {
  return <ListPage list={accountList} search={accountListRoute.useSearch()} actions={<CreateAccount />} />;
}

function CreateAccount(): ReactNode {
  const user = useUser();
  const acting = useAccountId();
  const lacking = useRefusal('accounts.write');
  const [isOpen, setOpen] = useState(false);
  const isOwn = acting === undefined || acting === user.account.id;
  return (
    <>
      <GatedButton
        look="primary"
        refusal={lacking ?? (isOwn ? null : `Go back to ${user.account.name} first`)}
        onPress={() => setOpen(true)}
      >
        Create an account
      </GatedButton>
      <Dialog title="Create a connected account" isOpen={isOpen} onClose={() => setOpen(false)}>
        <CreateForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function CreateForm({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const creating = useWrite((tenure, input: { name: string }, options) => tenure.accounts.create(input, options), {
    onDone: (account) => {
      toast(`Created ${account.name}`);
      onClose();
    },
  });
  return (
    <Form
      error={creating.error}
      fields={['name']}
      onSubmit={() => creating.mutate({ name })}
      actions={
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={creating.isPending}>
            Create the account
          </Button>
        </Actions>
      }
    >
      <p>You act for it by choosing it here, and your programs by the header Service-Context.</p>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        autoComplete="off"
        error={faultOf(creating.error, 'name')}
      />
    </Form>
  );
}
