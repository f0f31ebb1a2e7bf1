import type { ReactNode } from 'react';
import type { Account, Letterhead, LetterheadInput } from 'tenure';
import { Actions, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { idOf } from '../../office/words.ts';
import { useEdits } from '../../shell/edits.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import pageStyles from '../../shell/page.module.css';
import { UnsavedQuestion } from '../../shell/unsaved.tsx';
import styles from './settings.module.css';

interface Field {
  label: string;
  /** The parameter of the API. */
  param: string;
  isRequired?: boolean;
  hint?: string;
}

const senderFields = {
  name: { label: 'Name of the sender', param: 'letterhead[name]', isRequired: true },
  line1: { label: 'House and street', param: 'letterhead[address][line1]', isRequired: true },
  line2: { label: 'Second line of the address (optional)', param: 'letterhead[address][line2]' },
  city: { label: 'Town or city', param: 'letterhead[address][city]', isRequired: true },
  postal_code: { label: 'Postcode', param: 'letterhead[address][postal_code]', isRequired: true },
  country: { label: 'Country code', param: 'letterhead[address][country]', isRequired: true, hint: 'Such as GB.' },
  email: { label: 'E-mail address for questions (optional)', param: 'letterhead[email]' },
  phone: { label: 'Phone number for questions (optional)', param: 'letterhead[phone]' },
  registration: {
    label: 'Registration (optional)',
    param: 'letterhead[registration]',
    hint: 'What the law requires on a letter, such as the number of your company.',
  },
} as const satisfies Record<string, Field>;

const bankFields = {
  account_name: { label: 'Account name', param: 'letterhead[bank][account_name]' },
  sort_code: { label: 'Sort code', param: 'letterhead[bank][sort_code]' },
  account_number: { label: 'Account number', param: 'letterhead[bank][account_number]' },
  iban: { label: 'IBAN', param: 'letterhead[bank][iban]' },
  bic: { label: 'BIC', param: 'letterhead[bank][bic]' },
  bank_name: { label: 'Name of the bank', param: 'letterhead[bank][bank_name]' },
} as const satisfies Record<string, Field>;

const portalFields = {
  brand_color: {
    label: 'Colour of buttons in the portal',
    param: 'letterhead[brand_color]',
    hint: 'A number sign and six digits, such as #1d4ed8. Leave it empty for the portal’s own colour.',
  },
} as const satisfies Record<string, Field>;

const allFields: Record<keyof Texts, Field> = { ...senderFields, ...bankFields, ...portalFields };

/** What the fields hold. An empty one is not there. */
type Texts = Record<keyof typeof senderFields | keyof typeof bankFields | keyof typeof portalFields, string>;

/** The sender of bills, statements and reports, the account that tenants pay to, and the colour of the portal. */
export function LetterheadForm({ account }: { account: Account }): ReactNode {
  const refusal = useRefusal('accounts.write');
  const { value, changes, isChanged, set, forget } = useEdits(textsOf(account.letterhead));
  const saving = useWrite<Partial<Texts>, Account>(
    async (tenure, edits, options) => {
      // An update replaces the letterhead as a whole. Another member may have changed it meanwhile.
      const { letterhead } = await tenure.account.retrieve();
      return tenure.account.update({ letterhead: letterheadOf(letterhead, edits) }, options);
    },
    { onDone: () => toast('The letterhead is saved.') },
  );
  const { error } = saving;
  const field = ([name, { label, param, hint, isRequired }]: [string, Field]): ReactNode => (
    <TextField
      key={name}
      label={label}
      hint={hint}
      value={value[name as keyof Texts]}
      onChange={(text) => set({ [name]: text })}
      isRequired={isRequired ?? false}
      isDisabled={refusal !== null}
      error={faultOf(error, param)}
    />
  );
  return (
    <Form
      error={error}
      fields={Object.values(allFields).map(({ param }) => param)}
      onSubmit={() => saving.mutate(changes, { onSuccess: () => forget(changes) })}
      actions={
        <Actions>
          <GatedButton refusal={refusal} look="primary" type="submit" isDisabled={!isChanged || saving.isPending}>
            Save the letterhead
          </GatedButton>
        </Actions>
      }
    >
      <UnsavedQuestion isChanged={isChanged} />
      <p className={pageStyles.quiet}>
        The sender of bills, statements, reports and e-mails. Renters see it in the portal, too.
      </p>
      {Object.entries(senderFields).map(field)}
      <p className={pageStyles.quiet}>
        The account that tenants pay to. Bills and the portal show it. Leave all of it empty to show none.
      </p>
      {Object.entries(bankFields).map(field)}
      {Object.entries(portalFields).map(field)}
      {/^#[0-9a-f]{6}$/i.test(value.brand_color) && (
        <span className={styles.swatch} style={{ background: value.brand_color }} aria-hidden />
      )}
    </Form>
  );
}

function textsOf(letterhead: Letterhead | null): Texts {
  const { address, bank } = letterhead ?? {};
  const stored: Partial<Record<keyof Texts, unknown>> = { country: 'GB', ...letterhead, ...address, ...bank };
  const text = (name: string): string => {
    const value = stored[name as keyof Texts];
    return typeof value === 'string' ? value : '';
  };
  return Object.fromEntries(Object.keys(allFields).map((name) => [name, text(name)])) as Texts;
}

/** Returns the stored letterhead with the changes of the form. Its logo stays. */
function letterheadOf(stored: Letterhead | null, changes: Partial<Texts>): LetterheadInput {
  const texts = { ...textsOf(stored), ...changes };
  const orNull = (name: keyof Texts): string | null => (texts[name].trim() === '' ? null : texts[name]);
  const bankNames = Object.keys(bankFields) as (keyof typeof bankFields)[];
  const hasBank = bankNames.some((name) => orNull(name) !== null);
  const { name, line1, city, postal_code, country } = texts;
  return {
    name,
    address: { line1, line2: orNull('line2'), city, postal_code, country },
    email: orNull('email'),
    phone: orNull('phone'),
    registration: orNull('registration'),
    bank: hasBank
      ? {
          account_name: texts.account_name,
          bank_name: orNull('bank_name'),
          sort_code: orNull('sort_code'),
          account_number: orNull('account_number'),
          iban: orNull('iban'),
          bic: orNull('bic'),
        }
      : null,
    logo: stored?.logo ? idOf(stored.logo) : null,
    brand_color: orNull('brand_color'),
  };
}
