import type { ReactNode, Ref } from 'react';
import { classes } from '@tenure/ui/classes';
import styles from './kit.module.css';

/** A button for fingers. While it is busy, it keeps the focus and does nothing. */
export function Button(props: {
  look?: 'primary' | 'danger';
  type?: 'submit';
  isBusy?: boolean;
  /** What a screen reader says if the text alone is not clear. */
  label?: string;
  onPress?: () => void;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}): ReactNode {
  const { look, type, isBusy = false, label, onPress, ref, children } = props;
  return (
    <button
      ref={ref}
      type={type ?? 'button'}
      className={classes(styles.button, look && styles[look])}
      aria-disabled={isBusy || undefined}
      aria-label={label}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
}

/** The buttons of a form, one beside the other. */
export function Actions({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.actions}>{children}</div>;
}
