/** The settings of tracing: the standard variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/configuration/). */
export interface TracingSettings {
  /** The address that takes the traces. */
  url: string;
  headers: Readonly<Record<string, string>>;
  sampler: { root: RootSampler; isParentBased: boolean };
  /** What every span says about the process. */
  resource: Readonly<Record<string, string>>;
}

/** Which of the traces that begin here are recorded: a share from 0 to 1. */
export type RootSampler = 'all' | 'none' | { share: number };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings. A wrong value must not stop a server because of its traces, so it is a warning.
 *
 * @returns null as `settings` if the process records no traces.
 */
export function readTracingSettings(environment: Environment): {
  settings: TracingSettings | null;
  warnings: readonly string[];
} {
  const warnings: string[] = [];
  const text = (name: string): string | null => environment[name]?.trim() || null;
  const [endpoint, ownEndpoint] = [text('OTEL_EXPORTER_OTLP_ENDPOINT'), text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')];
  const read = {
    isDisabled: readFlag('OTEL_SDK_DISABLED', text('OTEL_SDK_DISABLED'), warnings),
    exporter: text('OTEL_TRACES_EXPORTER') ?? 'otlp',
    protocol: text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf',
    headers: {
      ...readPairs('OTEL_EXPORTER_OTLP_HEADERS', text('OTEL_EXPORTER_OTLP_HEADERS'), warnings, { isHeader: true }),
      ...readPairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', text('OTEL_EXPORTER_OTLP_TRACES_HEADERS'), warnings, {
        isHeader: true,
      }),
    },
    sampler: readSampler(text('OTEL_TRACES_SAMPLER'), text('OTEL_TRACES_SAMPLER_ARG'), warnings),
    attributes: readPairs('OTEL_RESOURCE_ATTRIBUTES', text('OTEL_RESOURCE_ATTRIBUTES'), warnings, { isHeader: false }),
    serviceName: text('OTEL_SERVICE_NAME'),
  };
  if (read.isDisabled || read.exporter === 'none') return { settings: null, warnings: [] };
  // Without an address, the other variables may be meant for another program.
  if (endpoint === null && ownEndpoint === null) return { settings: null, warnings: [] };
  const url = ownEndpoint === null ? urlOf(`${endpoint!.replace(/\/+$/, '')}/v1/traces`) : urlOf(ownEndpoint);
  const faults = [
    read.exporter !== 'otlp' && `OTEL_TRACES_EXPORTER is "${read.exporter}"; it must be otlp or none.`,
    read.protocol !== 'http/protobuf' &&
      `The protocol of OTLP is "${read.protocol}"; this server speaks only http/protobuf. The port of a collector for it is usually 4318.`,
    // Do not show the value: it may contain a password.
    url === null &&
      `${ownEndpoint === null ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'} is no valid address; it must begin with http:// or https://.`,
  ].filter((fault) => fault !== false);
  if (url === null || faults.length > 0) {
    return { settings: null, warnings: [...warnings, ...faults.map((fault) => `${fault} No traces are recorded.`)] };
  }
  const resource = {
    ...read.attributes,
    'service.name': read.serviceName ?? read.attributes['service.name'] ?? 'tenure',
  };
  return { settings: { url, headers: read.headers, sampler: read.sampler, resource }, warnings };
}

function urlOf(value: string): string | null {
  return /^https?:\/\//.test(value) && URL.canParse(value) ? value : null;
}

/** The standard takes any other value than `true` as false. */
function readFlag(name: string, value: string | null, warnings: string[]): boolean {
  const word = value?.toLowerCase() ?? 'false';
  if (word !== 'true' && word !== 'false') warnings.push(`${name} is "${value}"; it must be true or false.`);
  return word === 'true';
}

/** Reads pairs such as `key=value,other=value`, with encoded values. The warning shows none of them, because headers hold keys. */
function readPairs(
  name: string,
  value: string | null,
  warnings: string[],
  { isHeader }: { isHeader: boolean },
): Record<string, string> {
  const pairs = (value ?? '').split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(pairs.map((pair) => readPair(pair, isHeader)));
  } catch {
    warnings.push(`${name} must be pairs such as key1=value1,key2=value2, with encoded values. It is ignored.`);
    return {};
  }
}

/** @throws if it is no pair. */
function readPair(pair: string, isHeader: boolean): [string, string] {
  const [, name, value] = /^\s*([!#$%&'*+\-.^_`|~\w]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new Error('no pair');
  const decoded = decodeURIComponent(value);
  // Such a header would fail each export.
  if (isHeader && /[^\t\x20-\x7e\x80-\xff]/.test(decoded)) throw new Error('no header');
  return [name, decoded];
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];

function readSampler(name: string | null, argument: string | null, warnings: string[]): TracingSettings['sampler'] {
  const known = name === null || samplers.includes(name);
  if (!known) {
    warnings.push(
      `OTEL_TRACES_SAMPLER is "${name}"; it must be one of ${samplers.join(', ')}. The server uses parentbased_always_on.`,
    );
  }
  const sampler = name !== null && known ? name : 'parentbased_always_on';
  const isParentBased = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_on')) return { root: 'all', isParentBased };
  if (sampler.endsWith('always_off')) return { root: 'none', isParentBased };
  const share = Number(argument ?? '1');
  if (share >= 0 && share <= 1) return { root: { share }, isParentBased };
  warnings.push(`OTEL_TRACES_SAMPLER_ARG is "${argument}"; it must be a number from 0 to 1. The server uses 1.`);
  return { root: 'all', isParentBased };
}
