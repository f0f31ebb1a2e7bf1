import { useId, type ReactNode } from 'react';
import { Button, ButtonLink, type ButtonProps } from '@tenure/ui';
import styles from './page.module.css';

interface Gate {
  /** Why the person may not do it, or null: see `useRefusal`. */
  refusal: string | null;
}

/**
 * A button that only some roles may use. For others it is disabled, and the reason stands beside it.
 *
 * @param isInGroup the reason is only a title, and the description for screen readers. A group of buttons would repeat it.
 */
export function GatedButton({
  refusal,
  isDisabled,
  isInGroup = false,
  ...props
}: Gate & ButtonProps & { isInGroup?: boolean }): ReactNode {
  const id = useId();
  if (refusal === null) return <Button {...props} isDisabled={isDisabled} />;
  return (
    <span className={styles.gated} title={isInGroup ? refusal : undefined}>
      <Button {...props} isDisabled aria-describedby={id} />
      <span id={id} className={isInGroup ? styles.hidden : styles.refusal}>
        {refusal}
      </span>
    </span>
  );
}

/** A link to a page that only some roles may use. It looks like the main button of its page. */
export function GatedLink({ refusal, href, children }: Gate & { href: string; children: ReactNode }): ReactNode {
  if (refusal !== null) return <GatedButton refusal={refusal}>{children}</GatedButton>;
  return (
    <ButtonLink look="primary" href={href}>
      {children}
    </ButtonLink>
  );
}
