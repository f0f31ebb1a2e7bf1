import { useId, type InputHTMLAttributes, type ReactNode } from 'react';
import { classes } from '@tenure/ui/classes';
import styles from './kit.module.css';

interface FieldTexts {
  label: string;
  hint?: ReactNode;
  /** The fault of the value, with what to do. */
  error?: string | null | undefined;
}

/** The members that connect a control with its texts. */
interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

/** A label, a control, and the texts below it. */
function Field({ label, hint, error, children }: FieldTexts & { children: (wiring: Wiring) => ReactNode }): ReactNode {
  const id = useId();
  const describedBy = classes(hint !== undefined && `${id}-hint`, error && `${id}-error`) || undefined;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined })}
      {error && (
        <span id={`${id}-error`} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  );
}

type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'autoComplete' | 'inputMode' | 'required' | 'min' | 'max' | 'maxLength'
>;

/** A line of text, or a day with `type="date"`. */
export function TextField({
  label,
  hint,
  error,
  value,
  onChange,
  ...input
}: FieldTexts & InputProps & { value: string; onChange: (value: string) => void }): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <input
          {...input}
          {...wiring}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export function TextArea({
  label,
  hint,
  error,
  value,
  onChange,
  required,
  maxLength,
}: FieldTexts & {
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
  maxLength?: number;
}): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <textarea
          {...wiring}
          className={styles.input}
          required={required}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A choice of one among few. Phones show it in their own way. */
export function Select({
  label,
  hint,
  error,
  value,
  onChange,
  choices,
}: FieldTexts & {
  value: string;
  onChange: (value: string) => void;
  choices: readonly (readonly [value: string, name: string])[];
}): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <select {...wiring} className={styles.input} value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map(([choice, name]) => (
            <option key={choice} value={choice}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A day that a person knows by heart. Three fields are quicker than a calendar that opens at today. */
export function DateField({
  label,
  hint,
  error,
  value,
  onChange,
}: FieldTexts & {
  /** The day as `YYYY-MM-DD`, or what has been typed of it. Empty if nothing was typed. */
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  const [year = '', month = '', day = ''] = value.split('-');
  const change = (parts: { year?: string; month?: string; day?: string }): void => {
    const next = { year, month, day, ...parts };
    const text = `${next.year}-${next.month}-${next.day}`;
    onChange(text === '--' ? '' : text);
  };
  const part = (name: string, key: 'day' | 'month' | 'year', text: string): ReactNode => (
    <label className={classes(styles.part, key === 'year' && styles.year)}>
      {name}
      <input
        className={styles.input}
        inputMode="numeric"
        autoComplete={`bday-${key}`}
        maxLength={key === 'year' ? 4 : 2}
        aria-invalid={error ? true : undefined}
        value={text}
        onChange={(event) => change({ [key]: event.target.value.replaceAll(/\D/g, '') })}
      />
    </label>
  );
  const describedBy = classes(hint !== undefined && `${id}-hint`, error && `${id}-error`) || undefined;
  return (
    <fieldset className={styles.field} aria-describedby={describedBy}>
      <legend className={styles.label}>{label}</legend>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      <div className={styles.parts}>
        {part('Day', 'day', day)}
        {part('Month', 'month', month)}
        {part('Year', 'year', year)}
      </div>
      {error && (
        <span id={`${id}-error`} className={styles.error}>
          {error}
        </span>
      )}
    </fieldset>
  );
}

/** Returns what was typed into a `DateField` as a day of the API. Null if it is no day of the calendar. */
export function dayOf(typed: string): string | null {
  const [year = '', month = '', day = ''] = typed.split('-');
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : null;
}

/** A form. Its fields stand one below the other. */
export function Form({
  label,
  onSubmit,
  children,
}: {
  label: string;
  onSubmit: () => void;
  children: ReactNode;
}): ReactNode {
  return (
    <form
      className={styles.form}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
