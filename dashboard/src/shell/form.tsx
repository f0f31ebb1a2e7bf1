import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { ErrorState } from '@tenure/ui';
import { ApiError } from 'tenure';
import { shownError } from '../api/requests.ts';
import styles from './page.module.css';

/** A form that calls the API. Faults of its fields stand at these. Any other error stands at its end. */
export function Form(props: {
  onSubmit: () => void;
  error: Error | null;
  /** The parameters that have a field in this form. A field shows their faults itself. */
  fields: readonly string[];
  children: ReactNode;
  /** The buttons. */
  actions: ReactNode;
}): ReactNode {
  const { onSubmit, error, fields, children, actions } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The button was disabled while the request ran, and lost the focus. The fault is where the person goes on.
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]')?.focus();
  }, [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} className={styles.form} onSubmit={submit}>
      {children}
      {error !== null && !isShownAtField(error, fields) && <ErrorState error={shownError(error)} />}
      {actions}
    </form>
  );
}

function isShownAtField(error: Error, fields: readonly string[]): boolean {
  if (!(error instanceof ApiError)) return false;
  const params = error.errors.length > 0 ? error.errors.map(({ param }) => param) : [error.param];
  return params.every((param) => param !== null && param !== undefined && fields.includes(param));
}
