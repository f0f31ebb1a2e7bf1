import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  CheckboxGroup,
  ComboBox as AriaComboBox,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Radio,
  RadioGroup,
  Text,
} from 'react-aria-components';
import { Prose } from './data.tsx';
import type { Choice } from './field.tsx';
import { Icon } from './icons.tsx';
import { ListBelow } from './list-below.tsx';
import popover from './popover.module.css';
import styles from './field.module.css';

interface ChoosingProps {
  label: string;
  hint?: ReactNode;
  /** The fault of the choice, such as the message of the API for this parameter. */
  error?: string | null | undefined;
  isDisabled?: boolean;
}

/** A choice of one among many, found by typing a part of its name. */
export function Picker({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  placeholder,
  isDisabled = false,
  isLoading = false,
}: ChoosingProps & {
  choices: readonly Choice[];
  value: string | null;
  onChange: (id: string | null) => void;
  placeholder?: string;
  /** Tells that the choices are on their way. */
  isLoading?: boolean;
}): ReactNode {
  return (
    <AriaComboBox
      className={styles.field}
      defaultItems={choices}
      selectedKey={value}
      onSelectionChange={(key) => onChange(key === null ? null : String(key))}
      isDisabled={isDisabled}
      // A list that opened before its choices came shows them when they come.
      allowsEmptyCollection
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <Label className={styles.label}>{label}</Label>
      <Group className={styles.box}>
        <Input className={styles.input} placeholder={placeholder} />
        <AriaButton className={styles.open}>
          <Icon name="chevronDown" size={14} />
        </AriaButton>
      </Group>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error}>{error && <Prose text={error} />}</FieldError>
      <ListBelow>
        <ListBox
          className={popover.list}
          renderEmptyState={() => (
            <div className={popover.section}>{isLoading ? 'Loading…' : 'Nothing has this in its name.'}</div>
          )}
        >
          {(choice: Choice) => (
            <ListBoxItem className={popover.item} textValue={choice.name}>
              {choice.name}
            </ListBoxItem>
          )}
        </ListBox>
      </ListBelow>
    </AriaComboBox>
  );
}

/** One of a few choices that stand open, with what each means. */
export interface Option extends Choice {
  text?: ReactNode;
  /** Why it cannot be chosen. */
  disabledReason?: string;
}

/** A choice of one among few, all of which stand open. */
export function Radios({
  label,
  hint,
  error,
  options,
  value,
  onChange,
  isDisabled = false,
}: ChoosingProps & {
  options: readonly Option[];
  value: string | null;
  onChange: (id: string) => void;
}): ReactNode {
  return (
    <RadioGroup
      className={styles.field}
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <Question label={label} hint={hint} />
      <div className={styles.options}>
        {options.map(({ id, name, text, disabledReason }) => (
          <Radio key={id} value={id} className={styles.check} isDisabled={disabledReason !== undefined}>
            <span className={styles.dot} />
            <span className={styles.option}>
              <span>{name}</span>
              {(disabledReason ?? text) !== undefined && (
                <small className={styles.hint}>{disabledReason ?? text}</small>
              )}
            </span>
          </Radio>
        ))}
      </div>
      <FieldError className={styles.error}>{error && <Prose text={error} />}</FieldError>
    </RadioGroup>
  );
}

/** A choice of any among few, all of which stand open. The value has them in the order in which they were chosen. */
export function Checkboxes({
  label,
  hint,
  error,
  options,
  value,
  onChange,
}: ChoosingProps & {
  options: readonly Option[];
  value: readonly string[];
  onChange: (ids: string[]) => void;
}): ReactNode {
  return (
    <CheckboxGroup
      className={styles.field}
      value={[...value]}
      onChange={onChange}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <Question label={label} hint={hint} />
      <div className={styles.options}>
        {options.map(({ id, name }) => (
          <AriaCheckbox key={id} value={id} className={styles.check}>
            <span className={styles.mark}>
              <Icon name="check" size={12} />
            </span>
            <span>{name}</span>
          </AriaCheckbox>
        ))}
      </div>
      <FieldError className={styles.error}>{error && <Prose text={error} />}</FieldError>
    </CheckboxGroup>
  );
}

function Question({ label, hint }: Pick<ChoosingProps, 'label' | 'hint'>): ReactNode {
  return (
    <>
      <Label className={styles.label}>{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      )}
    </>
  );
}

/** A file from the person’s device. The browser’s own control opens its dialog. */
export function FileField({
  label,
  hint,
  error,
  accept,
  onChange,
}: ChoosingProps & { accept: string; onChange: (file: globalThis.File | null) => void }): ReactNode {
  return (
    <label className={styles.field}>
      <span className={styles.label}>{label}</span>
      <input
        type="file"
        accept={accept}
        className={styles.file}
        aria-invalid={Boolean(error)}
        onChange={(event) => onChange(event.target.files?.[0] ?? null)}
      />
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      {error && (
        <span className={styles.error}>
          <Prose text={error} />
        </span>
      )}
    </label>
  );
}
