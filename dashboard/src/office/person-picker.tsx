import type { ReactNode } from 'react';
import { Picker } from '@tenure/ui';
import { useRead } from '../api/requests.ts';
import { homesRead, peopleRead } from './reads.ts';
import { homeOf, rentText } from './words.ts';

/** A choice of one of the newest people, by a part of the name or of the e-mail address. */
export function PersonPicker(props: {
  label: string;
  value: string | null;
  onChange: (id: string | null) => void;
  /** People that cannot be chosen. */
  without?: readonly string[];
  hint?: string;
}): ReactNode {
  const { without = [], ...shown } = props;
  const { data } = useRead(peopleRead, {});
  const choices = (data ?? [])
    .filter(({ id }) => !without.includes(id))
    .map(({ id, name, email }) => ({ id, name: email === null ? name : `${name} (${email})` }));
  return (
    <Picker {...shown} choices={choices} isLoading={data === undefined} placeholder="A part of the name or e-mail" />
  );
}

/** A choice of one of the homes, by a part of its name or building. */
export function HomePicker(props: {
  label: string;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: string | null;
}): ReactNode {
  const { data } = useRead(homesRead, {});
  const choices = (data ?? []).map((unit) => ({
    id: unit.id,
    name: `${homeOf(unit)}${unit.rent === null ? '' : ` – ${rentText(unit.rent)}`}`,
  }));
  return <Picker {...props} choices={choices} isLoading={data === undefined} placeholder="A part of its name" />;
}
