import type { IconName } from '@tenure/ui/icons';
import type { Feature } from '../api/shapes.ts';

/** A page in the navigation. */
export interface PageEntry {
  path: string;
  name: string;
  icon: IconName;
  /** What people find there. */
  text: string;
  /** The page is shown if the session has one of them. */
  features: readonly Feature[];
}

/** The pages, in the order in which a let needs them. */
export const pages: readonly PageEntry[] = [
  {
    path: '/application',
    name: 'My application',
    icon: 'clipboard',
    text: 'Where it stands, and what is missing',
    features: ['applications'],
  },
  {
    path: '/documents',
    name: 'My documents',
    icon: 'file',
    text: 'Send a photo or a file',
    features: ['documents'],
  },
  {
    path: '/details',
    name: 'My details',
    icon: 'account',
    text: 'Phone, date of birth, addresses',
    features: ['details'],
  },
  {
    path: '/home',
    name: 'My home',
    icon: 'home',
    text: 'Dates, rent, and the people you rent with',
    features: ['money', 'notice', 'pets'],
  },
  {
    path: '/rent',
    name: 'Rent and payments',
    icon: 'money',
    text: 'What you owe, and what you have paid',
    features: ['money'],
  },
  {
    path: '/deposit',
    name: 'My deposit',
    icon: 'safe',
    text: 'Where it is, and what happens with it',
    features: ['money'],
  },
  { path: '/pets', name: 'Pets', icon: 'paw', text: 'Ask whether you may keep a pet', features: ['pets'] },
  { path: '/notice', name: 'Give notice', icon: 'signOut', text: 'End your tenancy', features: ['notice'] },
];

/** Returns the pages that a session opens. */
export function pagesFor(features: readonly Feature[]): readonly PageEntry[] {
  return pages.filter((page) => page.features.some((feature) => features.includes(feature)));
}
