import { Gauge, type Registry } from 'prom-client';

/** Makes a gauge, or one for each set of labels, whose value is read at each scrape. */
export function gaugeOnScrape<Label extends string = never>(
  registers: Registry[],
  about: { name: string; help: string; labelNames?: Label[] },
  look: (gauge: Gauge<Label>) => void,
): void {
  const gauge: Gauge<Label> = new Gauge({ ...about, registers, collect: () => look(gauge) });
}
