import { useRouter } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { CommandPalette as KitPalette, type PaletteGroup } from '@tenure/ui';
import { useSession, useUser } from '../api/session.ts';
import { setPreferences } from '../preferences.ts';
import { maySee, navigationFor, pathOfId } from './navigation.ts';
import { usePaletteActions } from './palette-actions.ts';
import { detailOf, useRecordSearch } from './record-search.ts';

/** Leads to pages, to records by their texts and ids, and does what needs no page. */
export function CommandPalette(props: { isOpen: boolean; onClose: () => void; moveClock: () => void }): ReactNode {
  const { isOpen, onClose, moveClock } = props;
  const router = useRouter();
  const { permissions } = useUser();
  const { mode } = useSession();
  const [text, setText] = useState('');
  const found = useRecordSearch(text);
  const actions = usePaletteActions({ moveClock });
  const go = (to: string) => () => void router.navigate({ to });
  const id = text.trim();
  const path = pathOfId(id);
  const groups: PaletteGroup[] = [
    {
      id: 'pages',
      title: 'Pages',
      entries: [
        ...(path !== null && maySee(path, permissions)
          ? [{ id: 'go', name: `Go to ${id}`, icon: 'arrowRight' as const, onAction: go(`/go/${id}`) }]
          : []),
        ...navigationFor(permissions, mode)
          .flatMap((group) => group.entries)
          .map(({ href, name, icon }) => ({ id: href, name, icon, onAction: go(href) })),
        { id: 'me', name: 'Your profile', icon: 'account', onAction: go('/settings/me') },
      ],
    },
    {
      id: 'actions',
      title: 'Actions',
      entries: [
        ...actions,
        ...(['system', 'light', 'dark'] as const).map((theme) => ({
          id: theme,
          name: `Use the ${theme} theme`,
          icon: 'palette' as const,
          onAction: () => setPreferences({ theme }),
        })),
      ],
    },
    ...found.groups.map(({ id: kind, title, icon, hits }) => ({
      id: kind,
      title,
      isFound: true,
      entries: hits.map((hit) => ({
        id: hit.id,
        name: hit.title,
        icon,
        ...(hit.subtitle !== null && { detail: detailOf(hit) ?? hit.subtitle }),
        onAction: go(`/go/${hit.id}`),
      })),
    })),
  ];
  return (
    <KitPalette
      title="Go to"
      placeholder="A name, e-mail, home, your own reference, or a page"
      isOpen={isOpen}
      onClose={() => {
        setText('');
        onClose();
      }}
      groups={groups}
      text={text}
      onTextChange={setText}
      status={found.status}
    />
  );
}
