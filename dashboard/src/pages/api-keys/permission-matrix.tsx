import type { ReactNode } from 'react';
import { Checkbox, Select } from '@tenure/ui';
import styles from './api-keys.module.css';
import { areSame, levelOf, nameOfKind, permissionsOf, presets, withLevel, type Grantable } from './permissions.ts';

/** What a key or a workflow may do: a preset, and a line for each kind of record. */
export function PermissionMatrix(props: {
  grantable: readonly Grantable[];
  permissions: readonly string[];
  onChange: (permissions: readonly string[]) => void;
  error: string | null;
}): ReactNode {
  const { grantable, permissions, onChange, error } = props;
  const preset = presets.find((each) => areSame(permissionsOf(each, grantable), permissions));
  return (
    <fieldset className={styles.permissions}>
      <legend>Permissions</legend>
      <Select
        label="Preset"
        choices={presets.map(({ id, name }) => ({ id, name }))}
        value={preset?.id ?? null}
        placeholder={permissions.length === 0 ? 'Choose a preset, or set each below' : 'Set by hand'}
        onChange={(id) =>
          onChange(
            permissionsOf(
              presets.find((each) => each.id === id)!,
              grantable,
            ),
          )
        }
        error={error}
      />
      <ul className={styles.matrix}>
        {grantable.map(({ kind, highest }) => {
          const level = levelOf(permissions, kind);
          const name = nameOfKind(kind);
          return (
            <li key={kind}>
              <span>{name}</span>
              <Checkbox
                aria-label={`Read: ${name}`}
                isSelected={level !== 'none'}
                onChange={(isOn) => onChange(withLevel(permissions, kind, isOn ? 'read' : 'none'))}
              >
                Read
              </Checkbox>
              {highest === 'write' && (
                <Checkbox
                  aria-label={`Write: ${name}`}
                  isSelected={level === 'write'}
                  onChange={(isOn) => onChange(withLevel(permissions, kind, isOn ? 'write' : 'read'))}
                >
                  Write
                </Checkbox>
              )}
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
