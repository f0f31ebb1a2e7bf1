import { useLayoutEffect, useRef, type PointerEvent } from 'react';

/** For so long after rows have moved, a press was aimed at another row. It is also the time of a double click. In milliseconds. */
const aimMs = 500;

/**
 * Ignores a press on rows that have just moved. It would act on another row, such as by the second of two clicks.
 *
 * @param ids of the rows, in their order.
 * @returns the properties of the element around the rows.
 */
export function useSteadyRows(ids: readonly string[]): { onPointerDownCapture: (event: PointerEvent) => void } {
  const former = useRef(ids);
  const movedAt = useRef(-Infinity);
  useLayoutEffect(() => {
    if (former.current.some((id, place) => ids.includes(id) && ids[place] !== id)) movedAt.current = performance.now();
    former.current = ids;
  });
  return {
    onPointerDownCapture(event) {
      if (performance.now() - movedAt.current < aimMs) event.stopPropagation();
    },
  };
}
