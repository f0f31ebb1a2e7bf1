import { scaleBand, scaleLinear } from 'd3-scale';
import { line, stack } from 'd3-shape';
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import styles from './data.module.css';

export interface Series<Point> {
  name: string;
  tone: 'good' | 'warn' | 'bad';
  value: (point: Point) => number;
}

/** The size until the browser tells the width, in CSS pixels. */
const widthBefore = 480;
const height = 160;
const margin = { top: 8, right: 4, bottom: 20, left: 36 };

/** Bars over time, one part for each series. A table beside the chart has the same numbers. */
export function BarChart<Point>(props: {
  label: string;
  points: readonly Point[];
  series: readonly Series<Point>[];
  /** The text of a bar, such as its hour. Each bar has another one. */
  nameOf: (point: Point) => string;
}): ReactNode {
  const { points, series, nameOf } = props;
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const x = scaleBand(
    points.map((_, index) => index),
    [margin.left, width - margin.right],
  ).padding(0.25);
  const layers = stack<Point, Series<Point>>()
    .keys(series)
    .value((point, { value }) => value(point))([...points]);
  const highest = Math.max(1, ...points.map((point) => series.reduce((sum, { value }) => sum + value(point), 0)));
  const y = scaleLinear([0, highest], [height - margin.bottom, margin.top]).nice(4);
  const ticks = y.ticks(3).filter(Number.isInteger);
  const lastIndex = points.length - 1;
  return (
    <figure className={styles.chart} ref={figure}>
      <svg height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
            <text className={styles.axis} x={margin.left - 6} y={y(tick) + 4} textAnchor="end">
              {tick.toLocaleString()}
            </text>
          </g>
        ))}
        {layers.map((layer) =>
          layer.map(([from, to], index) => (
            <rect
              key={`${layer.key.name} ${nameOf(points[index]!)}`}
              className={styles[`${layer.key.tone}-fill`]}
              x={x(index)}
              width={x.bandwidth()}
              y={y(to)}
              height={Math.max(0, y(from) - y(to))}
            >
              <title>{`${nameOf(points[index]!)}: ${to - from} ${layer.key.name}`}</title>
            </rect>
          )),
        )}
        {points.length > 0 && (
          <>
            <text className={styles.axis} x={margin.left} y={height - 4}>
              {nameOf(points[0]!)}
            </text>
            <text className={styles.axis} x={width - margin.right} y={height - 4} textAnchor="end">
              {nameOf(points[lastIndex]!)}
            </text>
          </>
        )}
      </svg>
      <div className={styles.legend}>
        {series.map(({ name, tone }) => (
          <span key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect className={styles[`${tone}-fill`]} width="10" height="10" rx="2" />
            </svg>{' '}
            {name}
          </span>
        ))}
      </div>
      <details>
        <summary>As a table</summary>
        <div className={styles.scroll}>
          <table className={styles.table} aria-label={props.label}>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className={styles.end}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={nameOf(point)}>
                  <td>{nameOf(point)}</td>
                  {series.map(({ name, value }) => (
                    <td key={name} className={styles.end}>
                      {value(point).toLocaleString()}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** Returns the width of an element, so that texts of a chart have the same size in each. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(widthBefore);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** A line without axes, beside a number. `label` says in words what it shows. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }): ReactNode {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [1, 79]);
  const y = scaleLinear([0, Math.max(1, ...values)], [19, 1]);
  const path = line<number>(
    (_, index) => x(index),
    (value) => y(value),
  )(values);
  return (
    <svg className={styles.spark} width="80" height="20" viewBox="0 0 80 20" role="img" aria-label={label}>
      <path d={path ?? ''} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
