import { useRef, useState, type ReactNode } from 'react';
import type { AddressInput, Customer, CustomersUpdateParams } from 'tenure';
import { Actions, Button, Dialog, Select, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { Form } from '../../shell/form.tsx';
import styles from '../../office/office.module.css';

/** What a person of the office may type about a person. */
interface Typed {
  name: string;
  email: string;
  phone: string;
  birthday: string;
  line1: string;
  city: string;
  postalCode: string;
  right: string;
  checkedOn: string;
  expiresOn: string;
}

const noRight = 'none';

/** Adds a person, or changes one. Only what was changed is sent. */
export function PersonDialog({
  person,
  onClose,
  onDone,
}: {
  person: Customer | null;
  onClose: () => void;
  onDone?: (id: string) => void;
}): ReactNode {
  const [before] = useState(() => typedOf(person));
  const [typed, setTyped] = useState(before);
  const latest = useRef<{ text: string; person: Customer }>(null);
  const saving = useWrite<Typed, Customer>(
    async (tenure, input, options) => {
      if (person === null) {
        return tenure.customers.create({ ...changesOf(input, before, person), name: input.name.trim() }, options);
      }
      // An update sends all addresses. The person may have added one in the portal since the form was opened. A second attempt sends what
      // the first one sent.
      const text = JSON.stringify(input);
      if (latest.current?.text !== text) {
        const read = await tenure.customers.retrieve(person.id);
        latest.current = { text, person: 'deleted' in read ? person : read };
      }
      const body = changesOf(input, before, latest.current?.person ?? person);
      return tenure.customers.update(person.id, body, options);
    },
    {
      onDone: ({ id }) => {
        toast(person === null ? 'The person is added.' : 'The person is changed.');
        onClose();
        onDone?.(id);
      },
    },
  );
  const { error } = saving;
  const field = (name: keyof Typed, param: string) => ({
    value: typed[name],
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
    error: faultOf(error, param),
    autoComplete: 'off',
  });
  return (
    <Dialog title={person === null ? 'Add a person' : `Change ${person.name}`} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={[
          'name',
          'email',
          'phone',
          'date_of_birth',
          'addresses[0][line1]',
          'addresses[0][city]',
          'addresses[0][postal_code]',
          'right_to_rent[checked_on]',
          'right_to_rent[expires_on]',
        ]}
        onSubmit={() => saving.mutate(typed)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={typed.name.trim() === '' || saving.isPending}>
              {person === null ? 'Add' : 'Save'}
            </Button>
          </Actions>
        }
      >
        <TextField label="Full name" {...field('name', 'name')} isRequired maxLength={500} />
        <div className={styles.pair}>
          <TextField label="E-mail" type="email" {...field('email', 'email')} />
          <TextField label="Phone" type="tel" {...field('phone', 'phone')} />
        </div>
        <TextField label="Date of birth" type="date" {...field('birthday', 'date_of_birth')} />
        <fieldset className={styles.fieldset}>
          <legend>Current address</legend>
          <TextField label="House and street" {...field('line1', 'addresses[0][line1]')} />
          <div className={styles.pair}>
            <TextField label="Town or city" {...field('city', 'addresses[0][city]')} />
            <TextField label="Postcode" {...field('postalCode', 'addresses[0][postal_code]')} />
          </div>
        </fieldset>
        <Select
          label="Right to rent"
          value={typed.right}
          onChange={(right) => setTyped({ ...typed, right })}
          choices={[
            { id: noRight, name: 'Not checked' },
            { id: 'unlimited', name: 'Without a limit' },
            { id: 'time_limited', name: 'For a limited time' },
          ]}
        />
        {typed.right !== noRight && (
          <div className={styles.pair}>
            <TextField label="Checked on" type="date" isRequired {...field('checkedOn', 'right_to_rent[checked_on]')} />
            {typed.right === 'time_limited' && (
              <TextField label="Ends on" type="date" {...field('expiresOn', 'right_to_rent[expires_on]')} />
            )}
          </div>
        )}
      </Form>
    </Dialog>
  );
}

function typedOf(person: Customer | null): Typed {
  const current = person?.addresses.find(({ to }) => to === null);
  const right = person?.right_to_rent ?? null;
  return {
    name: person?.name ?? '',
    email: person?.email ?? '',
    phone: person?.phone ?? '',
    birthday: person?.date_of_birth ?? '',
    line1: current?.line1 ?? '',
    city: current?.city ?? '',
    postalCode: current?.postal_code ?? '',
    right: right?.status ?? noRight,
    checkedOn: right?.checked_on ?? '',
    expiresOn: right?.expires_on ?? '',
  };
}

/** Returns what was changed, so that the changes of another person meanwhile stay. */
function changesOf(typed: Typed, before: Typed, person: Customer | null): CustomersUpdateParams {
  const isChanged = (...names: (keyof Typed)[]): boolean => names.some((name) => typed[name] !== before[name]);
  return {
    ...(isChanged('name') && { name: typed.name.trim() }),
    ...(isChanged('email') && { email: orNull(typed.email) }),
    ...(isChanged('phone') && { phone: orNull(typed.phone) }),
    ...(isChanged('birthday') && { date_of_birth: orNull(typed.birthday) }),
    ...(isChanged('line1', 'city', 'postalCode') && { addresses: addressesOf(typed, before, person) }),
    ...(isChanged('right', 'checkedOn', 'expiresOn') && { right_to_rent: rightOf(typed, before, person) }),
  };
}

/**
 * Returns the right to rent as it was typed. An update replaces all of it, so that a colleague's record of a limit would be lost.
 *
 * @throws {Error} if it was changed since the form was opened.
 */
function rightOf(typed: Typed, before: Typed, person: Customer | null): CustomersUpdateParams['right_to_rent'] {
  const { right, checkedOn, expiresOn } = typed;
  const stored = typedOf(person);
  const isStored = (one: Typed): boolean =>
    one.right === stored.right &&
    (one.right === noRight || one.checkedOn === stored.checkedOn) &&
    (one.right !== 'time_limited' || one.expiresOn === stored.expiresOn);
  if (!isStored(before) && !isStored(typed))
    throw new Error('The right to rent was changed meanwhile. Close the form, and open it again.');
  if (right === noRight) return null;
  return {
    status: right as 'unlimited' | 'time_limited',
    checked_on: checkedOn,
    expires_on: right === 'time_limited' ? orNull(expiresOn) : null,
    files: (person?.right_to_rent?.files ?? []).map((file) => (typeof file === 'string' ? file : file['id'])),
  };
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/**
 * Returns all addresses, with the one of the form as it was typed. The person may have another current address by now.
 *
 * @throws {Error} if the address of the form is gone.
 */
function addressesOf({ line1, city, postalCode }: Typed, before: Typed, person: Customer | null): AddressInput[] {
  const all = person?.addresses ?? [];
  const lines = { line1: line1.trim(), city: city.trim(), postal_code: postalCode.trim() };
  if (isBlank(before)) return [{ line2: null, country: 'GB', ...lines }, ...all];
  const isOfForm = (address: AddressInput): boolean =>
    address.line1 === before.line1 && address.city === before.city && address.postal_code === before.postalCode;
  const known = all.find((address) => address.to === null && isOfForm(address)) ?? all.find(isOfForm);
  if (!known) throw new Error('This address was changed meanwhile. Close the form, and open it again.');
  if (isBlank({ line1, city, postalCode })) return all.filter((address) => address !== known);
  return all.map((address) => (address === known ? { ...known, ...lines } : address));
}

function isBlank({ line1, city, postalCode }: Pick<Typed, 'line1' | 'city' | 'postalCode'>): boolean {
  return [line1, city, postalCode].every((text) => text.trim() === '');
}
