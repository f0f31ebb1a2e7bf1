import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * Returns whether a dialog is open, and what opens and closes it. The address `#<hash>` opens it, too, so that other places can lead to it.
 * Closing it takes the hash away.
 */
export function useOpenedByHash(hash: string): { isOpen: boolean; open: () => void; close: () => void } {
  const isNamed = useLocation({ select: (location) => location.hash === hash });
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  return {
    isOpen: isOpen || isNamed,
    open: () => setOpen(true),
    close() {
      setOpen(false);
      if (isNamed) void navigate({ to: '.', search: true, hash: '', replace: true });
    },
  };
}
