import type { ReactNode, Ref } from 'react';
import {
  Button as AriaButton,
  Link as AriaLink,
  type ButtonProps as AriaButtonProps,
  type LinkProps,
} from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './button.module.css';

/** How a button looks. A page has one `primary` button at most. */
export type ButtonLook = 'default' | 'primary' | 'danger' | 'plain';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  look?: ButtonLook;
  isSmall?: boolean;
  /** The button shows an icon alone. It then needs an `aria-label`. */
  isIcon?: boolean;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'default', isSmall, isIcon, ...props }: ButtonProps): ReactNode {
  return <AriaButton {...props} className={lookOf(look, isSmall, isIcon)} />;
}

/** A link that looks like a button, because it leads to the main action of a page. */
export function ButtonLink({
  look = 'default',
  isSmall,
  ...props
}: { look?: ButtonLook; isSmall?: boolean } & Omit<LinkProps, 'className' | 'style'>): ReactNode {
  return <AriaLink {...props} className={lookOf(look, isSmall)} />;
}

/** A link within a text. A path such as `/events` stays in the app. */
export function Link(props: Omit<LinkProps, 'className' | 'style'>): ReactNode {
  return <AriaLink {...props} className={styles.link} />;
}

function lookOf(look: ButtonLook, isSmall?: boolean, isIcon?: boolean): string {
  return classes(styles.button, look !== 'default' && styles[look], isSmall && styles.small, isIcon && styles.icon);
}
