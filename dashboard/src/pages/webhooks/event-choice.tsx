import { useState, type ReactNode } from 'react';
import { Checkbox, Switch, TextField } from '@tenure/ui';
import { eventTypes } from './event-types.ts';
import styles from './webhooks.module.css';

const families = Map.groupBy(eventTypes, (type) => type.slice(0, type.indexOf('.')));

/** All patterns of types: each family, such as `reference.*`, and then its types. */
export const eventPatterns: readonly string[] = [...families].flatMap(([family, types]) => [`${family}.*`, ...types]);

/** Chooses the events of an endpoint: all, all of a kind of record, or single types. */
export function EventChoice(props: {
  /** As `enabled_events`: `*`, `reference.*`, `reference.completed`. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  error: string | null;
}): ReactNode {
  const { value, onChange, error } = props;
  const chosen = new Set(value);
  const change = (added: readonly string[], removed: readonly string[]): void => {
    onChange([...[...chosen].filter((pattern) => !removed.includes(pattern)), ...added]);
  };
  const isAll = chosen.has('*');
  const [text, setText] = useState('');
  const shown = [...families]
    .map(([family, types]) => ({ family, types, found: types.filter((type) => type.includes(text.trim())) }))
    .filter(({ found }) => found.length > 0);
  return (
    <fieldset className={styles.events}>
      <legend>Events</legend>
      <Switch isSelected={isAll} onChange={(all) => onChange(all ? ['*'] : ['reference.*'])}>
        All events, also of types that come later
      </Switch>
      {!isAll && (
        <TextField
          label="Find an event"
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            // Enter would send the form.
            if (event.key === 'Enter') event.preventDefault();
          }}
          autoComplete="off"
          spellCheck="false"
          isMono
        />
      )}
      {!isAll && (
        <div className={styles.families}>
          {shown.length === 0 && <p>No event has this in its name.</p>}
          {shown.map(({ family, types, found }) => {
            const whole = `${family}.*`;
            const hasWhole = chosen.has(whole);
            const some = types.filter((type) => chosen.has(type));
            return (
              <div key={family} className={styles.family} role="group" aria-label={whole}>
                <Checkbox
                  isSelected={hasWhole}
                  isIndeterminate={!hasWhole && some.length > 0}
                  onChange={(isOn) => (isOn ? change([whole], types) : change([], [whole, ...types]))}
                >
                  <code>{whole}</code>
                </Checkbox>
                {found.map((type) => (
                  <Checkbox
                    key={type}
                    isSelected={hasWhole || chosen.has(type)}
                    isDisabled={hasWhole}
                    onChange={(isOn) => (isOn ? change([type], []) : change([], [type]))}
                  >
                    <code>{type}</code>
                  </Checkbox>
                ))}
              </div>
            );
          })}
        </div>
      )}
      {error !== null && (
        <p className={styles.fault} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
