import type { ReactNode } from 'react';

/** The paths of our icons, on a grid of 16, drawn with a line of 1.5. */
const paths = {
  activity: 'M1.5 8h3l2-5 3 10 2-5h3',
  account: 'M8 7.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.5 14c.4-2.6 2.6-4 5.5-4s5.1 1.4 5.5 4',
  arrowRight: 'M3 8h10M9 4l4 4-4 4',
  building: 'M3.5 14V2h9v12M1.5 14h13M6.5 5h.01M9.5 5h.01M6.5 8h.01M9.5 8h.01M7 14v-3h2v3',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  chevronDown: 'm4 6 4 4 4-4',
  chevronLeft: 'm10 4-4 4 4 4',
  chevronRight: 'm6 4 4 4-4 4',
  clipboard: 'M5.5 3H3.5v10.5h9V3h-2M5.5 1.75h5v2.5h-5zM6 8h4M6 10.5h4',
  clock: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM8 4.5V8l2.5 1.5',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  download: 'M8 2v8m0 0L4.8 7M8 10l3.2-3M2.5 13.5h11',
  event: 'M9 1.5 3 9h4.5L7 14.5 13 7H8.5z',
  external: 'M6.5 3H3v10h10V9.5M9 2.5h4.5V7M13 3 7.5 8.5',
  file: 'M4 1.75h5l3.5 3.5v9H4zM9 1.75v3.5h3.5',
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z',
  key: 'M10.5 9a3.5 3.5 0 1 0-3.3-2.3L2 12v2h2v-1.5h1.5V11H7l1.3-1.3A3.5 3.5 0 0 0 10.5 9Zm.5-4h.01',
  log: 'M3 3.5h10M3 8h10M3 12.5h6',
  mail: 'M1.75 3.5h12.5v9H1.75zM2 4l6 5 6-5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  minus: 'M4 8h8',
  money: 'M1.5 4h13v8h-13zM8 9.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM4 8h.01M12 8h.01',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  palette: 'M8 14a6 6 0 1 1 6-6c0 1.7-1.3 2-2.3 2H10c-1.4 0-1.5 1.2-1 2 .5.9.2 2-1 2Z',
  paw: 'M8 8c-2 0-4 2-4 4 0 1.2.9 1.75 2 1.75.8 0 1.3-.25 2-.25s1.2.25 2 .25c1.1 0 2-.55 2-1.75 0-2-2-4-4-4ZM3 8.5v-1M6 4.5v-1.5M10 4.5v-1.5M13 8.5v-1',
  person:
    'M6 7a2.25 2.25 0 1 0 0-4.5A2.25 2.25 0 0 0 6 7ZM1.5 13c.3-2.3 2-3.5 4.5-3.5s4.2 1.2 4.5 3.5M10.5 2.8a2.25 2.25 0 0 1 0 4M12 9.8c1.5.5 2.3 1.6 2.5 3.2',
  plus: 'M8 3v10M3 8h10',
  print: 'M4.5 6V2h7v4M4.5 11h-3V6h13v5h-3M4.5 9h7v5h-7z',
  reference: 'M2.5 2.5h11v11h-11zM5 8.2l2 2 4-4.4',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 2v3h-3',
  safe: 'M8 1.75 13.5 4v4c0 3.2-2.3 5.4-5.5 6.25C4.8 13.4 2.5 11.2 2.5 8V4zM5.8 8l1.6 1.6 2.8-3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  settings:
    'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  signOut: 'M6 2.5H2.5v11H6M10 4.5 13.5 8 10 11.5M13.5 8H6',
  team: 'M6 7a2.25 2.25 0 1 0 0-4.5A2.25 2.25 0 0 0 6 7ZM1.5 13c.3-2.3 2-3.5 4.5-3.5s4.2 1.2 4.5 3.5M10.5 2.8a2.25 2.25 0 0 1 0 4M12 9.8c1.5.5 2.3 1.6 2.5 3.2',
  tenancy: 'M3 1.75h7l3 3v9.5H3zM5.5 6h3M5.5 8.5h5M5.5 11.5c.8-1.2 1.6-1.2 2 0s1.2 1 3-.5',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3M8 11.5h.01',
  webhook: 'M6 6.5 3.8 10.4M8 4.5a2 2 0 1 0-2 2M8.5 6l2.2 4M12.5 14a2 2 0 1 0-1.8-3M3.5 14a2 2 0 0 0 2-2h5',
};

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** An icon beside a text. It says nothing by itself, so that screen readers skip it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of Tenure: a T that is also a key in its lock. */
export function Mark({ size = 24 }: { size?: number }): ReactNode {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
      <rect width="32" height="32" rx="8" fill="#0e6b57" />
      <path d="M8 9.5h16M16 9.5V23M11 23h10" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="23.2" cy="16.4" r="2.2" fill="#f4c26b" />
    </svg>
  );
}
