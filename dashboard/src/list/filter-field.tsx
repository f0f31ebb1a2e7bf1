import { use, useState, type ReactNode } from 'react';
import { ComboBox, Select, TextField, TimeContext, type Choice } from '@tenure/ui';
import styles from './list-page.module.css';

/** A filter of a list. Its name is the parameter of the API, and of the URL. */
export interface Filter<Name extends string> {
  name: Name;
  label: string;
  placeholder?: string;
  /** The values are words, and no code. */
  isProse?: boolean;
  /** Suggests values. With `isClosed`, no others are allowed. */
  choices?: readonly Choice[];
  isClosed?: boolean;
  /** The form of complete values. A text without this form stands for the first suggestion that begins with it. */
  form?: RegExp;
  /** The value is a time: the first or the last second of a minute, in seconds since the Unix epoch. */
  minute?: 'start' | 'end';
  /** The filter stands behind "More filters" until it is used. */
  isRare?: boolean;
}

/** Returns a list with suggestions that are known only when it is shown. */
export function withChoices<List extends { filters: readonly Filter<string>[] }>(
  list: List,
  choices: Partial<Record<List['filters'][number]['name'], readonly Choice[]>>,
): List {
  const filters = list.filters.map((filter) => {
    const known = choices[filter.name as keyof typeof choices];
    return known === undefined || known.length === 0 ? filter : { ...filter, choices: known };
  });
  return { ...list, filters };
}

/** The choice that filters nothing. */
const anyId = 'any';

/** One filter. It takes effect when a choice is made, by Enter, or when the field is left. */
export function FilterField({
  filter,
  value,
  onCommit,
}: {
  filter: Filter<string>;
  value: string;
  onCommit: (text: string) => void;
}): ReactNode {
  const { label, placeholder, choices, isClosed, isProse = false, minute } = filter;
  const [text, setText] = useTyped(value, textOf(value, filter));
  if (minute !== undefined) return <MinuteField label={label} minute={minute} value={value} onCommit={onCommit} />;
  if (choices && isClosed) {
    return (
      <div className={styles.filter}>
        <Select
          label={label}
          choices={[{ id: anyId, name: 'Any' }, ...choices]}
          value={value === '' ? anyId : value}
          onChange={(id) => onCommit(id === anyId ? '' : id)}
        />
      </div>
    );
  }
  const commit = (typed: string): void => {
    const committed = valueOf(typed, filter);
    setText(textOf(committed, filter));
    onCommit(committed);
  };
  const commitByEnter = (event: { key: string; target: EventTarget }): void => {
    // Enter on a suggestion chooses it, and the choice commits.
    const isOnChoice = event.target instanceof HTMLElement && event.target.hasAttribute('aria-activedescendant');
    if (event.key === 'Enter' && !isOnChoice) commit(text);
  };
  if (choices) {
    return (
      // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The key is for the field within, which is told later.
      <div className={styles.filter} onKeyDownCapture={commitByEnter}>
        <ComboBox
          label={label}
          placeholder={placeholder}
          choices={choices}
          value={text}
          onChange={setText}
          onCommit={commit}
          isMono
        />
      </div>
    );
  }
  return (
    <div className={styles.filter}>
      <TextField
        label={label}
        placeholder={placeholder}
        value={text}
        onChange={setText}
        onBlur={() => commit(text)}
        onKeyDown={commitByEnter}
        spellCheck="false"
        autoComplete="off"
        isMono={!isProse}
      />
    </div>
  );
}

/**
 * Returns the text of a field, and a function that changes it. A new value of the filter replaces what was typed, also if the Back button
 * made it. The field stays, and with it the focus.
 */
function useTyped(value: string, textOfValue: string): [text: string, setText: (text: string) => void] {
  const [typed, setTyped] = useState<{ over: string; text: string } | null>(null);
  return [typed?.over === value ? typed.text : textOfValue, (text) => setTyped({ over: value, text })];
}

/** Returns the text for a value, such as the name of a key for its id. */
function textOf(value: string, { choices = [] }: Filter<string>): string {
  return choices.find(({ id }) => id === value)?.name ?? value;
}

/** Returns the value that a typed text stands for, such as the id of a key for its name. */
function valueOf(typed: string, { choices = [], form }: Filter<string>): string {
  const text = typed.trim();
  const named = choices.find(({ name }) => name === text);
  if (named) return named.id;
  if (text === '' || form === undefined || form.test(text)) return text;
  return choices.find(({ id }) => id.startsWith(text))?.id ?? text;
}

/** A minute in the time zone that the page shows. */
function MinuteField(props: {
  label: string;
  minute: 'start' | 'end';
  value: string;
  onCommit: (text: string) => void;
}): ReactNode {
  const { label, minute, value, onCommit } = props;
  const { zone } = use(TimeContext);
  const [text, setText] = useTyped(value, textOfMinute(value, zone));
  const commit = (): void => {
    if (text === textOfMinute(value, zone)) return;
    const startMs = new Date(zone === 'utc' ? `${text}Z` : text).getTime();
    onCommit(Number.isNaN(startMs) ? '' : String(startMs / 1000 + (minute === 'end' ? 59 : 0)));
  };
  return (
    <div className={styles.filter}>
      <TextField
        label={zone === 'utc' ? `${label} (UTC)` : label}
        type="datetime-local"
        value={text}
        onChange={setText}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
      />
    </div>
  );
}

/** Returns a time as the field of the browser wants it, or an empty text if it is none. */
function textOfMinute(value: string, zone: 'local' | 'utc'): string {
  const ms = Number(value) * 1000;
  if (value === '' || Number.isNaN(new Date(ms).getTime())) return '';
  const offsetMs = zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}
