import { useEffect, useRef, useState, type ReactNode } from 'react';
import { addressLine, dayText } from '@tenure/ui/words';
import { PortalError, post, read } from '../api/client.ts';
import { postTo, useWrite } from '../api/reads.ts';
import type { Details, Me, PersonAddress } from '../api/shapes.ts';
import { Actions, Button } from '../kit/button.tsx';
import { countries } from '../kit/countries.ts';
import { DateField, dayOf, Form, Select, TextField } from '../kit/field.tsx';
import { Card, Facts, Live, Notice, Quiet, Rows } from '../kit/parts.tsx';
import { useUnsaved } from '../router.tsx';
import { useMe } from '../shell/context.ts';
import { AskAgent, Page, Step } from '../shell/page.tsx';
import { plain } from '../words.ts';
import { WriteError } from './write-error.tsx';

/** What the agent knows of the person, to complete and correct. */
export function DetailsPage(): ReactNode {
  const me = useMe();
  if (me.details === null) return null;
  return (
    <Page title="My details" lead="Keep them right, so that your agent can reach you and check your application.">
      <Person details={me.details} />
      <Addresses addresses={me.details.addresses} />
    </Page>
  );
}

function Person({ details }: { details: Details }): ReactNode {
  const me = useMe();
  const [before, setBefore] = useState(() => typedOf(details));
  const [phone, setPhone] = useState(before.phone);
  const [birth, setBirth] = useState(before.birth);
  const [isPhoneWrong, setPhoneWrong] = useState(false);
  const [birthFault, setBirthFault] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const saving = useWrite(postTo<Me>('me'), (saved) => {
    const now = typedOf(saved.details ?? details);
    setBefore(now);
    setPhone(now.phone);
    setBirth(now.birth);
    setSaved(true);
  });
  const submit = (): void => {
    setSaved(false);
    const day = birth === '' ? null : dayOf(birth);
    const fault = birth === '' ? null : birthFaultOf(day, me.today);
    setBirthFault(fault);
    const isPhone = phone.trim() === '' || phone.replaceAll(/\D/g, '').length >= 6;
    setPhoneWrong(!isPhone);
    if (fault !== null || !isPhone) return;
    // What was not changed is left out: the agent may have corrected it meanwhile.
    saving.send({
      ...(phone !== before.phone && { phone: phone.trim() === '' ? null : phone.trim() }),
      ...(birth !== before.birth && { date_of_birth: day }),
    });
  };
  useUnsaved(phone !== before.phone || birth !== before.birth);
  const phoneFault = saving.faultOf('phone');
  const birthFaultOfApi = saving.faultOf('date_of_birth');
  return (
    <Card title="You">
      <Facts
        items={[
          ['Name', me.name],
          ['E-mail', details.email ?? 'Not known'],
        ]}
      />
      <p>
        <Quiet>
          To change your name or e-mail, ask <AskAgent />.
        </Quiet>
      </p>
      <Form label="You" onSubmit={submit}>
        <TextField
          label="Phone"
          type="tel"
          autoComplete="tel"
          value={phone}
          onChange={setPhone}
          error={isPhoneWrong || phoneFault !== null ? 'Type a phone number, such as 07700 900123.' : null}
        />
        <DateField
          label="Date of birth"
          hint="For example, 27 3 1990"
          value={birth}
          onChange={setBirth}
          error={birthFault ?? (birthFaultOfApi && plain(birthFaultOfApi))}
        />
        <WriteError write={saving} fields={['phone', 'date_of_birth']} />
        <Saved isShown={isSaved && !saving.isBusy} />
        <Actions>
          <Button look="primary" type="submit" isBusy={saving.isBusy}>
            {saving.isBusy ? 'Saving…' : 'Save phone and birth date'}
          </Button>
        </Actions>
      </Form>
    </Card>
  );
}

function typedOf(details: Details): { phone: string; birth: string } {
  return { phone: details.phone ?? '', birth: details.date_of_birth ?? '' };
}

/** Returns what is wrong with a date of birth, or null. */
function birthFaultOf(day: string | null, today: string): string | null {
  if (day === null) return 'This day does not exist. Type the day, the month and the year, such as 27 3 1990.';
  return day > today ? 'This day is still to come. Type the day on which you were born.' : null;
}

/** Says that a change was saved. The region is there before, so that screen readers say it. */
function Saved({ isShown }: { isShown: boolean }): ReactNode {
  return (
    <Live>
      {isShown && (
        <Notice tone="good">
          <p>Saved.</p>
        </Notice>
      )}
    </Live>
  );
}

/** A change of one address. */
interface AddressChange {
  /** The address as the form shows it. Null adds one. */
  before: PersonAddress | null;
  /** Null removes it. */
  after: PersonAddress | null;
}

/** Returns what an address says, to find it again in a list that was read later. */
function contentOf({ line1, line2, city, postal_code: postalCode, country, from, to }: PersonAddress): string {
  return JSON.stringify([line1, line2 ?? null, city, postalCode, country, from ?? null, to ?? null]);
}

/** Returns where an address is in a list, or -1. */
function placeOf(address: PersonAddress | null, list: readonly PersonAddress[]): number {
  return address === null ? -1 : list.findIndex((one) => contentOf(one) === contentOf(address));
}

/**
 * Changes one address. A request sends all addresses, so that they are read again first. The agent may have changed another one.
 *
 * @param onPlace is called with the place of the address in the request, or null if there is no such place.
 * @throws {PortalError} if the same address was changed meanwhile.
 */
async function changeAddress({ before, after }: AddressChange, onPlace: (place: number | null) => void): Promise<Me> {
  const me = await read<Me>('me');
  const list = me.details?.addresses ?? [];
  const place = placeOf(before, list);
  // The change can be made already, by a request whose response was lost.
  const isMade = place === -1 && placeOf(after, list) !== -1;
  if (isMade) return me;
  if (before !== null && place === -1)
    throw new PortalError('This address has changed since you opened it. Press Cancel, and read it again.', {
      status: 409,
      code: 'address_changed',
    });
  const at = place === -1 ? list.length : place;
  onPlace(after === null ? null : at);
  return post<Me>('me', { addresses: list.toSpliced(at, 1, ...(after === null ? [] : [after])) });
}

function Addresses({ addresses }: { addresses: readonly PersonAddress[] }): ReactNode {
  /** The address that is changed, as its form shows it. A new one has no content yet. */
  const [changed, setChanged] = useState<{ before: PersonAddress | null } | null>(null);
  const [isSaved, setSaved] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const hadForm = useRef(false);
  useEffect(() => {
    if (hadForm.current && changed === null) add.current?.focus();
    hadForm.current = changed !== null;
  }, [changed]);
  const open = (before: PersonAddress | null): void => {
    setSaved(false);
    setChanged({ before });
  };
  return (
    <Card title="Where you have lived">
      <p>Your agent asks where you have lived in the last three years, and from when until when.</p>
      {addresses.length === 0 && changed === null && <p>There is no address yet.</p>}
      {changed === null && addresses.length > 0 && (
        <Rows
          label="Your addresses"
          rows={addresses.map((address, at) => ({
            id: String(at),
            main: (
              <>
                {addressLine(address)}
                <Quiet>{addressDays(address)}</Quiet>
              </>
            ),
            end: (
              <Button label={`Change ${address.line1}`} onPress={() => open(address)}>
                Change
              </Button>
            ),
          }))}
        />
      )}
      {changed === null ? (
        <>
          <Saved isShown={isSaved} />
          <div>
            <Button ref={add} onPress={() => open(null)}>
              Add an address
            </Button>
          </div>
        </>
      ) : (
        <AddressForm
          address={changed.before}
          onDone={() => {
            setChanged(null);
            setSaved(true);
          }}
          onCancel={() => setChanged(null)}
        />
      )}
    </Card>
  );
}

function addressDays({ from, to }: PersonAddress): string {
  if (from === null && to === null) return 'Days not given';
  return `${from === null ? 'Until' : `From ${dayText(from)}`} ${to === null ? 'until now' : `${from === null ? '' : 'to '}${dayText(to)}`}`;
}

function AddressForm(props: {
  /** Null if it is new. */
  address: PersonAddress | null;
  onDone: () => void;
  onCancel: () => void;
}): ReactNode {
  const { address, onDone, onCancel } = props;
  /** The place of the address in the last request, as faults name it. */
  const [place, setPlace] = useState<number | null>(null);
  const saving = useWrite((after: PersonAddress | null) => changeAddress({ before: address, after }, setPlace), onDone);
  const [values, setValues] = useState({
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    postal_code: address?.postal_code ?? '',
    country: address?.country ?? 'GB',
    from: address?.from ?? '',
    to: address?.to ?? '',
  });
  const [isTried, setTried] = useState(false);
  const isTyped = Object.entries(values).some(
    ([name, value]) => value !== (address?.[name as keyof typeof values] ?? (name === 'country' ? 'GB' : '')),
  );
  useUnsaved(isTyped);
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value });
  const missing = (name: 'line1' | 'city' | 'postal_code', text: string): string | null => {
    if (isTried && values[name].trim() === '') return text;
    return faultOf(name);
  };
  const faultOf = (name: string): string | null => {
    const fault = saving.faultOf(`addresses[${place}][${name}]`);
    return fault === null ? null : plain(fault);
  };
  const submit = (): void => {
    setTried(true);
    const { line1, city, postal_code: postalCode, line2, country, from, to } = values;
    if ([line1, city, postalCode].some((value) => value.trim() === '')) return;
    saving.send({
      line1: line1.trim(),
      line2: line2.trim() === '' ? null : line2.trim(),
      city: city.trim(),
      postal_code: postalCode.trim(),
      country,
      from: from === '' ? null : from,
      to: to === '' ? null : to,
    });
  };
  return (
    <Step title={address === null ? 'Add an address' : 'Change this address'}>
      <Form label="Address" onSubmit={submit}>
        <TextField
          label="House and street"
          autoComplete="address-line1"
          value={values.line1}
          onChange={set('line1')}
          error={missing('line1', 'Type the house and the street, such as 12 Coppergate.')}
        />
        <TextField
          label="Second line (optional)"
          autoComplete="address-line2"
          value={values.line2}
          onChange={set('line2')}
          error={faultOf('line2')}
        />
        <TextField
          label="Town or city"
          autoComplete="address-level2"
          value={values.city}
          onChange={set('city')}
          error={missing('city', 'Type the town or city.')}
        />
        <TextField
          label="Postcode"
          autoComplete="postal-code"
          value={values.postal_code}
          onChange={set('postal_code')}
          error={missing('postal_code', 'Type the postcode, such as YO1 9NR.')}
        />
        <Select label="Country" value={values.country} onChange={set('country')} choices={countries()} />
        <TextField label="Moved in" type="date" value={values.from} onChange={set('from')} error={faultOf('from')} />
        <TextField
          label="Moved out (optional)"
          hint="Leave it empty if you still live there."
          type="date"
          value={values.to}
          onChange={set('to')}
          error={faultOf('to')}
        />
        <WriteError write={saving} fields={Object.keys(values).map((name) => `addresses[${place}][${name}]`)} />
        <Actions>
          <Button look="primary" type="submit" isBusy={saving.isBusy}>
            {saving.isBusy ? 'Saving…' : 'Save this address'}
          </Button>
          <Button onPress={onCancel}>Cancel</Button>
          {address !== null && (
            <Button isBusy={saving.isBusy} onPress={() => saving.send(null)}>
              Remove this address
            </Button>
          )}
        </Actions>
      </Form>
    </Step>
  );
}
