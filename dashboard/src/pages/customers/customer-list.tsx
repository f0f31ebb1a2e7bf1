import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Customer } from 'tenure';
import { Button, ButtonLink, Icon } from '@tenure/ui';
import { useRefusal } from '../../api/session.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Moment } from '../../office/account-time.tsx';
import { customerListRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { currentAddress } from './customer-words.ts';
import { PersonDialog } from './person-form.tsx';

const customerList: ListDefinition<Customer, 'email'> = {
  title: 'People',
  noun: 'people',
  load: (tenure, params, options) => tenure.customers.list(params, options),
  hrefOf: ({ id }) => `/customers/${id}`,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'E-mail', cell: ({ email }) => email ?? '–' },
    { title: 'Phone', cell: ({ phone }) => phone ?? '–' },
    { title: 'Address', cell: (customer) => currentAddress(customer) ?? '–' },
    { title: 'Added', align: 'end', cell: ({ created }) => <Moment at={created} isShort /> },
  ],
  sheet: (customer) => ({
    Name: customer.name,
    'E-mail': customer.email,
    Phone: customer.phone,
    'Date of birth': customer.date_of_birth,
    Address: currentAddress(customer),
  }),
  filters: [{ name: 'email', label: 'E-mail', placeholder: 'The whole e-mail address', isProse: true }],
  filterHint: 'The filter needs the whole address. To find a part of a name, use the search at the top.',
  empty: {
    title: 'No people yet',
    text: 'Applicants, tenants and guarantors stand here, once each. You can also add them with an application.',
  },
};

/** The list of people. */
export function CustomerListPage(): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const refusal = useRefusal('customers.write');
  // Only owners and admins reveal what the law keeps of erased persons.
  const mayReveal = useRefusal('retention_holds.write') === null;
  const list = {
    ...customerList,
    empty: {
      ...customerList.empty,
      action: (
        <Button isDisabled={refusal !== null} onPress={() => setAdding(true)}>
          Add a person
        </Button>
      ),
    },
  };
  return (
    <>
      <ListPage
        list={list}
        search={customerListRoute.useSearch()}
        actions={
          <>
            {mayReveal && <ButtonLink href="/retention-holds">Kept by law</ButtonLink>}
            <GatedButton look="primary" isInGroup refusal={refusal} onPress={() => setAdding(true)}>
              <Icon name="plus" size={14} />
              Add a person
            </GatedButton>
          </>
        }
      />
      {isAdding && (
        <PersonDialog
          person={null}
          onClose={() => setAdding(false)}
          onDone={(id) => void navigate({ to: '/customers/$id', params: { id } })}
        />
      )}
    </>
  );
}
