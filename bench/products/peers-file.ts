import { readFileSync } from 'node:fs';
import { adapters, type AdapterName } from './adapters.ts';
import type { ProcessSettings, ProductSettings } from './product.ts';

/**
 * Reads the products of a peers file. docs/benchmarks.md describes it.
 *
 * @throws with the member that is wrong, and what it must be.
 */
export function readPeers(file: string): ProductSettings[] {
  const refuse = (where: string, must: string): never => {
    throw new Error(`${file}: ${where} must be ${must}.`);
  };
  const text = (value: unknown, where: string): string =>
    typeof value === 'string' && value !== '' ? value : refuse(where, 'a text');
  const list = (value: unknown, where: string): unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : refuse(where, 'a list');
  const object = (value: unknown, where: string): Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : refuse(where, 'an object');
  const only = (value: Record<string, unknown>, known: string[], where: string): void => {
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined) refuse(`${where}.${unknown}`, `left out: the members are ${known.join(', ')}`);
  };
  const texts = (value: unknown, where: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(object(value, where)).map(([name, each]) => [name, text(each, `${where}.${name}`)]),
    );

  const processOf = (value: unknown, where: string): ProcessSettings => {
    const given = object(value, where);
    only(given, ['command', 'env', 'folder', 'worker'], where);
    const command = list(given.command, `${where}.command`).map((word) => text(word, `${where}.command`));
    if (command.length === 0) refuse(`${where}.command`, 'a program and its arguments');
    return {
      command,
      env: texts(given.env ?? {}, `${where}.env`),
      folder: given.folder === undefined ? null : text(given.folder, `${where}.folder`),
      isWorker: given.worker === true,
    };
  };

  const peerOf = (value: unknown, index: number): ProductSettings => {
    const where = `[${index}]`;
    const given = object(value, where);
    only(given, ['name', 'adapter', 'url', 'credentials', 'processes', 'pids', 'receiver_host'], where);
    const adapter = text(given.adapter, `${where}.adapter`) as AdapterName;
    if (!Object.hasOwn(adapters, adapter)) refuse(`${where}.adapter`, `one of ${Object.keys(adapters).join(', ')}`);
    const credentials = texts(given.credentials, `${where}.credentials`);
    for (const name of adapters[adapter].credentials) text(credentials[name], `${where}.credentials.${name}`);
    const pids = list(given.pids ?? [], `${where}.pids`).map((pid) =>
      Number.isInteger(pid) ? (pid as number) : refuse(`${where}.pids`, 'a list of process ids'),
    );
    return {
      name: text(given.name, `${where}.name`),
      adapter,
      url: text(given.url, `${where}.url`).replace(/\/$/, ''),
      credentials,
      processes: list(given.processes ?? [], `${where}.processes`).map((each, number) =>
        processOf(each, `${where}.processes[${number}]`),
      ),
      pids,
      receiverHost: text(given.receiver_host ?? '127.0.0.1', `${where}.receiver_host`),
    };
  };

  return list(JSON.parse(readFileSync(file, 'utf8')), 'the file').map(peerOf);
}
