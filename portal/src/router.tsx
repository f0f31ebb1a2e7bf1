import { useEffect, useSyncExternalStore, type MouseEvent, type ReactNode } from 'react';
import { basePath } from './base-url.ts';

/* The few paths of the portal need no library. */

const listeners = new Set<() => void>();

/** Returns the path of the page within the app, such as `/rent`. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

/** The number of forms with typed words that are not saved. */
let unsaved = 0;

/** Lets the person decide before a page with unsaved words is left. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    unsaved++;
    addEventListener('beforeunload', ask);
    return () => {
      unsaved--;
      removeEventListener('beforeunload', ask);
    };
  }, [isUnsaved]);
}

/** Opens a page of the app, unless the person wants to save first. */
export function navigate(path: string): void {
  if (unsaved > 0 && !confirm('You have not saved what you have typed. Leave this page and lose it?')) return;
  if (path !== currentPath()) history.pushState(null, '', basePath + path);
  scrollTo(0, 0);
  for (const listener of listeners) listener();
}

/** A link to a page of the app. */
export function Link(props: {
  to: string;
  className?: string | undefined;
  isCurrent?: boolean;
  children: ReactNode;
}): ReactNode {
  const follow = (event: MouseEvent): void => {
    // The browser itself opens a link in another window.
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(props.to);
  };
  return (
    <a
      href={basePath + props.to}
      className={props.className}
      aria-current={props.isCurrent ? 'page' : undefined}
      onClick={follow}
    >
      {props.children}
    </a>
  );
}

function currentPath(): string {
  const path = location.pathname.slice(basePath.length).replace(/\/+$/, '');
  return path === '' ? '/' : path;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}
