import type { ReactNode } from 'react';
import type { Write } from '../api/reads.ts';
import { Notice } from '../kit/parts.tsx';
import { errorText } from '../words.ts';

/**
 * Says why a change was refused. A fault that stands beside its field is not said twice.
 *
 * @param props.fields the members of the body whose faults stand beside their fields.
 */
export function WriteError<Input>({
  write: { error },
  fields,
}: {
  write: Write<Input>;
  fields?: readonly string[];
}): ReactNode {
  if (error === null) return null;
  const isAtField = error.faults.length > 0 && error.faults.every(({ param }) => fields?.includes(param));
  return (
    <Notice tone="bad" role="alert">
      <p>{isAtField ? 'Please check what you have typed.' : errorText(error, { isWrite: true })}</p>
    </Notice>
  );
}
