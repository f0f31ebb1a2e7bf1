import { createContext, use } from 'react';
import type { Me } from '../api/shapes.ts';

/** The person of the session, for all pages. */
export const MeContext = createContext<Me | null>(null);

/** Returns the person of the session. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('Bug! A page is shown without a session.');
  return me;
}
