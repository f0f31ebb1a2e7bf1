import { Gauge, type Registry } from 'prom-client';

/** A number, or one for each set of labels, that is looked up when somebody asks for it. */
export function askedGauge<Label extends string = never>(
  registers: Registry[],
  about: { name: string; help: string; labelNames?: Label[] },
  look: (gauge: Gauge<Label>) => void,
): void {
  const gauge: Gauge<Label> = new Gauge({ ...about, registers, collect: () => look(gauge) });
}
