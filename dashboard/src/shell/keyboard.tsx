import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, type ReactNode } from 'react';
import { Dialog, Switch, toast } from '@tenure/ui';
import { useSession, useUser } from '../api/session.ts';
import { setPreferences, usePreferences } from '../preferences.ts';
import { navigationFor, type NavigationEntry } from './navigation.ts';
import styles from './shell.module.css';

/** How long after `g` the second key counts, in milliseconds. */
const secondKeyMs = 1_500;

/** Lets keys lead to pages and move through rows. Keys that a field takes do nothing else. */
export function useShortcuts({ openPalette, openKeyList }: { openPalette: () => void; openKeyList: () => void }): void {
  const { hasSingleKeys } = usePreferences();
  const router = useRouter();
  const pages = usePages();
  useEffect(() => {
    let goneAtMs = -Infinity;
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (!hasSingleKeys || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.timeStamp - goneAtMs < secondKeyMs) {
        goneAtMs = -Infinity;
        const entry = pages.find(({ key }) => key === event.key);
        if (entry) void router.navigate({ to: entry.href });
        return;
      }
      switch (event.key) {
        case 'g':
          goneAtMs = event.timeStamp;
          break;
        case '?':
          openKeyList();
          break;
        case '/':
          event.preventDefault();
          document.querySelector<HTMLInputElement>('main search input')?.focus();
          break;
        case 'j':
          moveRow(1);
          break;
        case 'k':
          moveRow(-1);
          break;
        case 'c':
          copyId();
          break;
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [hasSingleKeys, router, pages, openPalette, openKeyList]);
}

/** Returns the pages of the person that a key leads to. */
function usePages(): NavigationEntry[] {
  const { permissions } = useUser();
  const { mode } = useSession();
  return useMemo(() => navigationFor(permissions, mode).flatMap(({ entries }) => entries), [permissions, mode]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  );
}

/** Moves the focus to the link of the next row. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody tr > td:first-child a')];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at < 0 ? 0 : at + step]?.focus();
}

/** Copies the id of the page's record. */
function copyId(): void {
  const id = document.querySelector<HTMLElement>('main [data-copy-id]')?.dataset.copyId;
  if (id === undefined) return;
  navigator.clipboard.writeText(id).then(
    () => toast(`Copied ${id}`),
    () => toast('The browser does not allow copying.'),
  );
}

/** All shortcuts, and the switch that turns single keys off. */
export function KeyboardList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const { hasSingleKeys } = usePreferences();
  const pages = usePages();
  const keys: [keys: string[], meaning: string][] = [
    [['Ctrl or ⌘', 'K'], 'Find a person or a page'],
    [['?'], 'Show this list'],
    [['/'], 'Go to the filters'],
    [['j'], 'Next row'],
    [['k'], 'Previous row'],
    [['Enter'], 'Open the row'],
    [['c'], 'Copy the id of the page'],
    ...pages.map(({ key, name }): [string[], string] => [['g', key], `Go to ${name}`]),
  ];
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([names, meaning]) => [
          <dt key={`${meaning} keys`}>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>,
          <dd key={meaning}>{meaning}</dd>,
        ])}
      </dl>
      <Switch isSelected={hasSingleKeys} onChange={(value) => setPreferences({ hasSingleKeys: value })}>
        Shortcuts of a single key
      </Switch>
    </Dialog>
  );
}
