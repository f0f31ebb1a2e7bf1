/** The change of a value with time: the slope of the line that fits best, by least squares. */
export interface Trend {
  perHour: number;
  /** The slope's standard error, from the variation of the values. */
  errorPerHour: number;
}

/** @param values one a minute, three or more. */
export function trendOf(values: readonly number[]): Trend {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, _, minute) => sum + (minute - middle) ** 2, 0);
  const slope = values.reduce((sum, value, minute) => sum + (minute - middle) * (value - mean), 0) / spread;
  const beside = values.reduce((sum, value, minute) => sum + (value - mean - slope * (minute - middle)) ** 2, 0);
  return { perHour: slope * 60, errorPerHour: Math.sqrt(beside / (values.length - 2) / spread) * 60 };
}

/** Tells whether it rises by more than `mostPerHour`, and by more than its variation explains. */
export function isRising({ perHour, errorPerHour }: Trend, mostPerHour: number): boolean {
  return perHour > mostPerHour && perHour > 2 * errorPerHour;
}
