import { useRouter } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { CommandPalette as KitPalette, type PaletteEntry } from '@tenure/ui';
import { useUser } from '../api/session.ts';
import { setPreferences } from '../preferences.ts';
import { navigationFor } from './navigation.ts';

/** Leads to pages, to records by their ids, and does what needs no page. */
export function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const router = useRouter();
  const { permissions } = useUser();
  const [text, setText] = useState('');
  const go = (to: string) => () => void router.navigate({ to });
  const id = text.trim();
  const entries: PaletteEntry[] = [
    ...(/^[a-z]+_[0-9A-Za-z]+$/.test(id)
      ? [{ id: 'go', name: `Go to ${id}`, icon: 'arrowRight' as const, onAction: go(`/go/${id}`) }]
      : []),
    ...navigationFor(permissions)
      .flatMap((group) => group.entries)
      .map(({ href, name, icon }) => ({ id: href, name, icon, onAction: go(href) })),
    { id: 'me', name: 'Your profile', icon: 'account', onAction: go('/settings/me') },
    ...(['system', 'light', 'dark'] as const).map((theme) => ({
      id: theme,
      name: `Use the ${theme} theme`,
      icon: 'palette' as const,
      onAction: () => setPreferences({ theme }),
    })),
  ];
  return (
    <KitPalette
      title="Go to"
      placeholder="A page, an id or an action"
      isOpen={isOpen}
      onClose={() => {
        setText('');
        onClose();
      }}
      entries={entries}
      text={text}
      onTextChange={setText}
    />
  );
}
