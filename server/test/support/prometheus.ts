import { expect } from 'vitest';

/** The content of one scrape. */
export class Scrape {
  readonly #samples: ReadonlyMap<string, number>;
  /** Its metrics by name, without the suffixes of a histogram's samples. */
  readonly types: ReadonlyMap<string, string>;

  /** @throws if the text is not the exposition format 0.0.4 that Prometheus defines. */
  constructor(text: string) {
    const { samples, types } = parse(text);
    this.#samples = samples;
    this.types = types;
    for (const [name, type] of types) if (type === 'histogram') holdHistogram(name, samples);
  }

  /** Returns the value of a sample, named as it is written: `name{label="value"}`; undefined if there is none. */
  value(sample: string): number | undefined {
    return this.#samples.get(sample);
  }

  /** Returns the sum of all samples of this name that have these labels among theirs. */
  sum(name: string, labels: Record<string, string> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const found = [...this.#samples].filter(
      ([sample]) => sample.split('{', 1)[0] === name && wanted.every((pair) => sample.includes(pair)),
    );
    return found.reduce((sum, [, value]) => sum + value, 0);
  }

  samples(): string[] {
    return [...this.#samples.keys()];
  }
}

const sampleForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const labelsForm =
  /^[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*")*$/;

/** Expects all samples of a metric together below its HELP and TYPE, and none twice. */
function parse(text: string): { samples: Map<string, number>; types: Map<string, string> } {
  expect(text.endsWith('\n')).toBe(true);
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  let helped: string | null = null;
  let current = '';
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, word, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') {
      expect(types.has(about), `${about} stands in two places`).toBe(false);
      helped = about;
    } else if (word === 'TYPE') {
      expect(helped, line).toBe(about);
      expect(['counter', 'gauge', 'histogram'], line).toContain(rest);
      types.set(about, rest);
      current = about;
    } else {
      const [, name, labels, value] = sampleForm.exec(line) ?? [];
      expect(name, `no sample: ${line}`).toBeDefined();
      if (labels !== undefined) expect(labels, line).toMatch(labelsForm);
      const endings = types.get(current) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      expect(
        endings.map((ending) => current + ending),
        line,
      ).toContain(name);
      const sample = labels === undefined ? name! : `${name}{${labels}}`;
      expect(samples.has(sample), `twice: ${sample}`).toBe(false);
      samples.set(sample, Number(value!.replace('Inf', 'Infinity')));
    }
  }
  return { samples, types };
}

/** Expects that buckets never fall, and that the last one, of everything, equals the count. */
function holdHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const series = new Map<string, [number, number][]>();
  for (const [sample, value] of samples) {
    const [, le, others] = new RegExp(`^${name}_bucket\\{le="([^"]+)",?(.*)\\}$`).exec(sample) ?? [];
    if (le === undefined) continue;
    const bound = Number(le.replace('Inf', 'Infinity'));
    series.set(others!, [...(series.get(others!) ?? []), [bound, value]]);
  }
  for (const [labels, buckets] of series) {
    expect(buckets.map(([bound]) => bound)).toEqual(
      buckets.map(([bound]) => bound).sort((left, right) => left - right),
    );
    expect(buckets.map(([, count]) => count)).toEqual(
      buckets.map(([, count]) => count).sort((left, right) => left - right),
    );
    expect(buckets.at(-1)![0]).toBe(Infinity);
    expect(samples.get(`${name}_count${labels === '' ? '' : `{${labels}}`}`)).toBe(buckets.at(-1)![1]);
  }
}
