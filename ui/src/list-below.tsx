import { useContext, useLayoutEffect, type ReactNode } from 'react';
import { ComboBoxStateContext, Popover, PopoverContext, useSlottedContext } from 'react-aria-components';
import popover from './popover.module.css';

/**
 * The list of choices below a field that a person types into. It closes when its field scrolls away from it.
 *
 * The browser reports a scroll in a later frame. On a slow computer, a person can tab to a field out of view and open its list before.
 * Such a scroll must not close the list.
 */
export function ListBelow({ children }: { children: ReactNode }): ReactNode {
  const isOpen = useContext(ComboBoxStateContext)?.isOpen ?? false;
  const field = useSlottedContext(PopoverContext)?.triggerRef;
  // Listens before React Aria, whose listener closes the list, begins in a passive effect.
  useLayoutEffect(() => {
    const node = field?.current;
    if (!isOpen || !node) return;
    const { x, y } = node.getBoundingClientRect();
    const onScroll = (event: Event): void => {
      const now = node.getBoundingClientRect();
      const isAround = event.target instanceof Node && event.target.contains(node);
      if (isAround && now.x === x && now.y === y) event.stopImmediatePropagation();
    };
    addEventListener('scroll', onScroll, true);
    return () => removeEventListener('scroll', onScroll, true);
  }, [isOpen, field]);
  return (
    <Popover className={popover.popover} offset={4}>
      {children}
    </Popover>
  );
}
