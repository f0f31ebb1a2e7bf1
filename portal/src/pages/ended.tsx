import { useEffect, useRef, type ReactNode } from 'react';
import type { Ending } from '../api/session.ts';
import type { Agent } from '../api/shapes.ts';
import { Contact } from '../shell/page.tsx';
import { Alone } from '../shell/shell.tsx';
import { agentName } from '../words.ts';

const titles: Readonly<Record<Ending, string>> = {
  ended: 'Your visit has ended',
  signed_out: 'You have signed out',
  replaced: 'The page of another person is open now',
};

const texts: Readonly<Record<Ending, string>> = {
  ended: 'To keep your data safe, this page closes after an hour without use, and after eight hours at most.',
  signed_out: 'This device shows nothing more of you.',
  replaced: 'This browser opens the page of one person at a time. Another person has opened theirs in another window.',
};

/** Says that the session is over, and what to do. */
export function EndedPage({ ending, agent }: { ending: Ending; agent: Agent | null }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = titles[ending];
  useEffect(() => {
    document.title = agent ? `${title} – ${agentName(agent)}` : title;
    heading.current?.focus();
  }, [title, agent]);
  return (
    <Alone agent={agent}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{texts[ending]}</p>
      <p>
        <strong>To come back:</strong> ask {agent ? <Contact agent={agent} /> : 'your agent'} for a new link. Nothing
        that you have sent is lost.
      </p>
    </Alone>
  );
}
