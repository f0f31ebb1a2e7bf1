import type { ReactNode } from 'react';
import { Button, TextField } from '@tenure/ui';
import { faultOf } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import styles from '../../office/office.module.css';
import { PersonPicker } from '../../office/person-picker.tsx';
import { GatedButton } from '../../shell/gated.tsx';

/** A guarantor in a form: a person that is here already, or a new one. */
export interface ChosenGuarantor {
  isNew: boolean;
  id: string | null;
  name: string;
  email: string;
}

export const noGuarantor: ChosenGuarantor = { isNew: false, id: null, name: '', email: '' };

/** Returns whether the form has enough to name a guarantor. */
export function isNamed({ isNew, id, name }: ChosenGuarantor): boolean {
  return isNew ? name.trim() !== '' : id !== null;
}

/** Asks for the guarantor. A person that is not here yet needs no other page. */
export function GuarantorChoice(props: {
  value: ChosenGuarantor;
  onChange: (value: ChosenGuarantor) => void;
  /** The ids of the applicants. They cannot be guarantors. */
  applicants: readonly string[];
  error: Error | null;
}): ReactNode {
  const { value, onChange, applicants, error } = props;
  const refusal = useRefusal('customers.write');
  const { isNew, id, name, email } = value;
  return (
    <fieldset className={styles.fieldset}>
      <legend>Guarantor</legend>
      {isNew ? (
        <>
          <TextField
            label="Full name"
            value={name}
            onChange={(text) => onChange({ ...value, name: text })}
            isRequired
            maxLength={500}
            autoComplete="off"
            error={faultOf(error, 'name')}
          />
          <TextField
            label="E-mail (optional)"
            type="email"
            value={email}
            onChange={(text) => onChange({ ...value, email: text })}
            autoComplete="off"
            hint="A referencing service writes to it."
            error={faultOf(error, 'email')}
          />
        </>
      ) : (
        <PersonPicker
          label="Person"
          value={id}
          onChange={(chosen) => onChange({ ...value, id: chosen })}
          without={applicants}
          hint="The applicants cannot be guarantors."
        />
      )}
      <div className={styles.buttons}>
        {isNew ? (
          <Button look="plain" isSmall onPress={() => onChange({ ...value, isNew: false })}>
            Choose a person who is here already
          </Button>
        ) : (
          <GatedButton
            look="plain"
            isSmall
            refusal={refusal}
            onPress={() => onChange({ ...value, isNew: true, id: null })}
          >
            Enter a new person
          </GatedButton>
        )}
      </div>
    </fieldset>
  );
}
