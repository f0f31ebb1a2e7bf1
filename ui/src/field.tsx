import { useState, type ReactNode } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  ComboBox as AriaComboBox,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
  useFilter,
  type CheckboxProps,
  type SwitchProps,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Prose } from './data.tsx';
import { Icon } from './icons.tsx';
import { ListBelow } from './list-below.tsx';
import popover from './popover.module.css';
import styles from './field.module.css';

/** What each field has besides its control. */
interface FieldTexts {
  /** Null hides the label. The field then needs an `aria-label`. */
  label: string | null;
  hint?: ReactNode;
  /** The fault of the value, such as the message of the API for this parameter. */
  error?: string | null | undefined;
}

/**
 * Marks a field with a fault. The browser checks fields before a form is sent, and would not send one with a known fault. A form must be
 * sendable again, since only the server knows whether the fault has gone.
 */
function faultProps(error: string | null | undefined): { isInvalid: boolean; validationBehavior: 'aria' | 'native' } {
  return { isInvalid: Boolean(error), validationBehavior: error ? 'aria' : 'native' };
}

export interface TextFieldProps extends FieldTexts, Omit<AriaTextFieldProps, 'className' | 'style' | 'children'> {
  placeholder?: string;
  /** Shows ids, URLs and codes in a font of fixed width. */
  isMono?: boolean;
  /** The field has several lines. */
  isMultiline?: boolean;
}

export function TextField({
  label,
  hint,
  error,
  placeholder,
  isMono,
  isMultiline,
  ...props
}: TextFieldProps): ReactNode {
  const Control = isMultiline ? TextArea : Input;
  return (
    <AriaTextField {...props} {...faultProps(error)} className={styles.field}>
      {label !== null && <Label className={styles.label}>{label}</Label>}
      <div className={styles.box}>
        <Control
          className={classes(isMultiline ? styles.area : styles.input, isMono && styles.mono)}
          placeholder={placeholder}
        />
      </div>
      <FieldTextsBelow hint={hint} error={error} />
    </AriaTextField>
  );
}

/** A password. A button shows it. Pasting works, so that password managers do. */
export function PasswordField({
  label,
  hint,
  error,
  ...props
}: Omit<TextFieldProps, 'isMono' | 'isMultiline'>): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <AriaTextField {...props} type={isShown ? 'text' : 'password'} {...faultProps(error)} className={styles.field}>
      {label !== null && <Label className={styles.label}>{label}</Label>}
      <div className={styles.box}>
        <Input className={styles.input} />
        <Button
          look="plain"
          isSmall
          aria-label={isShown ? 'Hide the password' : 'Show the password'}
          onPress={() => setShown(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </Button>
      </div>
      <FieldTextsBelow hint={hint} error={error} />
    </AriaTextField>
  );
}

function FieldTextsBelow({ hint, error }: Omit<FieldTexts, 'label'>): ReactNode {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error}>{error && <Prose text={error} />}</FieldError>
    </>
  );
}

export interface Choice {
  id: string;
  name: string;
  /** What the choice means. A combo box shows it, and finds the choice by it. */
  description?: string;
}

interface ChoiceProps extends FieldTexts {
  'aria-label'?: string;
  choices: readonly Choice[];
  value: string | null;
  onChange: (id: string) => void;
  placeholder?: string;
  isDisabled?: boolean;
}

/** A choice of one among few. */
export function Select({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  placeholder,
  ...props
}: ChoiceProps): ReactNode {
  return (
    <AriaSelect
      {...props}
      {...faultProps(error)}
      className={styles.field}
      placeholder={placeholder ?? 'Choose'}
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
    >
      {label !== null && <Label className={styles.label}>{label}</Label>}
      <AriaButton className={styles.trigger}>
        <SelectValue className={styles.value} />
        <Icon name="chevronDown" size={14} />
      </AriaButton>
      <FieldTextsBelow hint={hint} error={error} />
      <Popover className={popover.popover} offset={4}>
        <ListBox className={popover.list} items={choices}>
          {(choice) => <ListBoxItem className={popover.item}>{choice.name}</ListBoxItem>}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

interface ComboBoxProps extends FieldTexts {
  'aria-label'?: string;
  /** What may be typed quickly. Other texts are allowed, too. */
  choices: readonly Choice[];
  value: string;
  /** Is called with each text. */
  onChange: (text: string) => void;
  /** Is called when a choice is made, or the field is left. */
  onCommit?: (text: string) => void;
  placeholder?: string;
  isMono?: boolean;
}

/** A text with suggestions. */
export function ComboBox({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  onCommit,
  placeholder,
  isMono,
  ...props
}: ComboBoxProps): ReactNode {
  const { contains } = useFilter({ sensitivity: 'base' });
  const descriptions = new Map(choices.map(({ name, description = '' }) => [name, description]));
  return (
    <AriaComboBox
      {...props}
      allowsCustomValue
      defaultFilter={(name, text) => contains(name, text) || contains(descriptions.get(name) ?? '', text)}
      {...faultProps(error)}
      className={styles.field}
      defaultItems={choices}
      inputValue={value}
      onInputChange={onChange}
      selectedKey={choices.find(({ name }) => name === value)?.id ?? null}
      onSelectionChange={(key) => key !== null && onCommit?.(String(key))}
    >
      {label !== null && <Label className={styles.label}>{label}</Label>}
      <Group className={styles.box}>
        <Input
          className={classes(styles.input, isMono && styles.mono)}
          placeholder={placeholder}
          onBlur={() => onCommit?.(value)}
        />
        <AriaButton className={styles.open}>
          <Icon name="chevronDown" size={14} />
        </AriaButton>
      </Group>
      <FieldTextsBelow hint={hint} error={error} />
      <ListBelow>
        <ListBox className={popover.list}>
          {(choice: Choice) => (
            <ListBoxItem className={popover.item} textValue={choice.name}>
              {choice.description === undefined ? (
                choice.name
              ) : (
                <span className={styles.described}>
                  <Text slot="label">{choice.description}</Text>
                  <Text slot="description">{choice.name}</Text>
                </span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </ListBelow>
    </AriaComboBox>
  );
}

export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, 'className' | 'style' | 'children'> & { children: ReactNode }): ReactNode {
  return (
    <AriaCheckbox {...props} className={styles.check}>
      {({ isIndeterminate }) => (
        <>
          <span className={styles.mark}>
            <Icon name={isIndeterminate ? 'minus' : 'check'} size={12} />
          </span>
          <span>{children}</span>
        </>
      )}
    </AriaCheckbox>
  );
}

/** A setting that takes effect at once. */
export function Switch({
  children,
  ...props
}: Omit<SwitchProps, 'className' | 'style' | 'children'> & { children: ReactNode }): ReactNode {
  return (
    <AriaSwitch {...props} className={styles.check}>
      <span className={styles.track} />
      <span>{children}</span>
    </AriaSwitch>
  );
}
