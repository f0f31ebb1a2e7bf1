import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Icon } from '@tenure/ui/icons';
import type { Read } from '../api/reads.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/parts.tsx';
import { Link } from '../router.tsx';
import { agentName, errorText } from '../words.ts';
import { useMe } from './context.ts';
import styles from './shell.module.css';

/** The way back on a phone. A wide window shows all pages beside. */
const overview = { to: '/', name: 'All pages' };

/** Whether a page was opened by a link within the app. The first page leaves the focus where the browser puts it. */
let isFirstPage = true;

/** Notes that the person has used a page without a session before, so that the next title gets the focus. */
export function leaveFirstPage(): void {
  isFirstPage = false;
}

/** Gives the focus to the title of the page, after what had it has gone. */
export function focusTitle(): void {
  document.querySelector('h1')?.focus();
}

/** A page: its title and its contents. The title is also that of the tab, and gets the focus, so that screen readers say it. */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  /** The page above this one. Null for the first page. Without it, the first page. */
  parent?: { to: string; name: string } | null;
  children: ReactNode;
}): ReactNode {
  const { title, lead, parent = overview, children } = props;
  const agent = agentName(useMe().account);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – ${agent}`;
  }, [title, agent]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus();
    isFirstPage = false;
  }, []);
  return (
    <div className={styles.page}>
      <div className={styles.title}>
        {parent !== null && (
          <nav aria-label="Back" className={parent === overview ? styles.back : undefined}>
            <Link to={parent.to} className={styles.parent}>
              <Icon name="chevronLeft" /> {parent.name}
            </Link>
          </nav>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** Shows what was read, or that it is on its way, or why it failed. */
export function Loaded<T>({ of, children }: { of: Read<T>; children: (data: T) => ReactNode }): ReactNode {
  const { data, error, retry } = of;
  if (data !== undefined) return children(data);
  if (error === null) return <Skeleton />;
  return <Failure text={errorText(error)} requestId={error.requestId} onRetry={retry} />;
}

/** Says that something failed, and offers another attempt. */
export function Failure(props: { text: string; requestId: string | null; onRetry: () => void }): ReactNode {
  return (
    <Notice tone="bad" role="alert">
      <p>{props.text}</p>
      {props.requestId !== null && (
        <p>
          If you ask for help, say this number: <code>{props.requestId}</code>
        </p>
      )}
      <div>
        <Button onPress={props.onRetry}>Try again</Button>
      </div>
    </Notice>
  );
}

/** A step of a page that takes the place of another one. Its title gets the focus. */
export function Step({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={styles.page} aria-label={title}>
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {children}
    </section>
  );
}

/** A step that a button opens. When the step closes, the button gets the focus back. */
export function useOpener(): {
  isOpen: boolean;
  opener: RefObject<HTMLButtonElement | null>;
  setOpen: (isOpen: boolean) => void;
} {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { isOpen, opener, setOpen };
}

/** Tells how to reach the agent. */
export function AskAgent(): ReactNode {
  const { account } = useMe();
  return <Contact agent={account} />;
}

/** The ways to reach an agent, or their name alone. */
export function Contact({
  agent,
}: {
  agent: { phone: string | null; email: string | null } & Parameters<typeof agentName>[0];
}): ReactNode {
  const { phone, email } = agent;
  return (
    <span>
      {agentName(agent)}
      {phone !== null && (
        <>
          {', '}phone <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>
        </>
      )}
      {email !== null && (
        <>
          {', '}e-mail <a href={`mailto:${encodeURI(email)}`}>{email}</a>
        </>
      )}
    </span>
  );
}
