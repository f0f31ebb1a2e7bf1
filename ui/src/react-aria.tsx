import type { ReactNode } from 'react';
import { I18nProvider, RouterProvider } from 'react-aria-components';

/** The id of the style element that React Aria inserts unless the document has one with it. */
const styleId = 'react-aria-pressable-style';

/**
 * Connects React Aria with the router of the app. It also keeps React Aria from inserting its style element, because the policy of the page
 * forbids that. Our style sheet has the one rule of that element.
 */
export function KitProvider(props: {
  navigate: (href: string) => void;
  useHref: (href: string) => string;
  locale: string;
  children: ReactNode;
}): ReactNode {
  if (document.getElementById(styleId) === null) {
    const marker = document.createElement('meta');
    marker.id = styleId;
    document.head.append(marker);
  }
  return (
    <I18nProvider locale={props.locale}>
      <RouterProvider navigate={props.navigate} useHref={props.useHref}>
        {props.children}
      </RouterProvider>
    </I18nProvider>
  );
}
