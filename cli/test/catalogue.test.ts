import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { operations, type Operation, type OperationTable } from '../../sdk/src/index.ts';
import { readDocuments } from '../../sdk/generate/files.ts';
import { camelCase } from '../../sdk/generate/document.ts';
import { catalogueOf, snakeCase } from '../generate/commands.ts';
import { catalogueFile } from '../generate/files.ts';
import { catalogue } from '../src/catalogue.ts';
import { addVerbs } from '../src/commands/resource.ts';
import { makeProgram, operationTexts, resourceTexts } from '../src/program.ts';
import { recipes } from '../src/trigger/recipes.ts';
import { version } from '../src/version.ts';

const cliFolder = join(import.meta.dirname, '..');

test('has the texts and parameters of the newest document', () => {
  const [newest] = Object.entries(readDocuments()).sort(([a], [b]) => (a < b ? 1 : -1));
  expect(JSON.parse(readFileSync(catalogueFile, 'utf8')), 'Run `npm run sdk`.').toEqual(catalogueOf(newest![1]));
});

test('has a command for each operation of the SDK', () => {
  const named: Record<string, string[]> = {};
  const collect = (table: OperationTable, at: string[]): void => {
    for (const [name, entry] of Object.entries(table)) {
      if (typeof (entry as Operation).path === 'string') (named[at.join(' ')] ??= []).push(snakeCase(name));
      else collect(entry as OperationTable, [...at, snakeCase(name)]);
    }
  };
  collect(operations, []);
  // Only persons use these, and a command has a key.
  for (const name of ['users', 'invitations']) delete named[name];
  named.approval_requests = named.approval_requests!.filter((verb) => verb !== 'approve' && verb !== 'reject');
  const commands = Object.entries(catalogue().resources).map(([name, verbs]): [string, string[]] => [
    name,
    Object.keys(verbs),
  ]);
  expect(Object.fromEntries(commands)).toEqual(named);
  // Operations without a resource are commands of their own.
  const own = Object.fromEntries(commands)[''];
  expect(own).toEqual(Object.keys(operationTexts));
  const resources = commands.filter(([name]) => name !== '').map(([name]) => name.split(' ')[0]);
  expect(
    new Set(Object.keys(resourceTexts)),
    'Add the resource to `resourceTexts` in cli/src/program.ts, with what it is.',
  ).toEqual(new Set(resources));
});

test('has a recipe for each event type, or says why no command causes it', () => {
  expect(
    new Set(Object.keys(recipes)),
    'Add the event type to `recipes` in cli/src/trigger/recipes.ts. `npm run test:matrix -- everyday` tries each recipe.',
  ).toEqual(new Set(catalogue().eventTypes));
});

test('gives each operation an argument for its id if its path has one', () => {
  for (const [resource, verbs] of Object.entries(catalogue().resources)) {
    const parent = new Command();
    addVerbs(parent, resource);
    for (const command of parent.commands) {
      let entry: unknown = operations;
      for (const name of [...resource.split(' ').filter(Boolean), command.name()])
        entry = (entry as Record<string, unknown>)[camelCase(name)];
      const hasId = (entry as Operation).path.includes('{id}');
      // An operation without a resource takes its words.
      const hasWords = resource === '';
      expect(command.registeredArguments.length, `${resource} ${command.name()}`).toBe(hasId || hasWords ? 1 : 0);
      expect(Object.keys(verbs)).toContain(command.name());
    }
  }
});

test('has no flag of an operation that hides a flag of all commands', () => {
  const program = makeProgram(Object.keys(resourceTexts));
  const all = new Set(program.options.map(({ long }) => long));
  const walk = (command: Command): string[] =>
    command.commands.flatMap((inner) => [
      ...inner.options.filter(({ long }) => all.has(long)).map(({ long }) => `${inner.name()} ${long}`),
      ...walk(inner),
    ]);
  expect(walk(program)).toEqual([]);
});

test('belongs to the release of the server', () => {
  for (const file of ['package.json', '../server/package.json', '../sdk/package.json']) {
    expect(JSON.parse(readFileSync(join(cliFolder, file), 'utf8'))).toMatchObject({ version });
  }
});

test('takes all paths of the API from the SDK', () => {
  for (const file of globSync('src/**/*.ts', { cwd: cliFolder })) {
    expect(readFileSync(join(cliFolder, file), 'utf8'), file).not.toMatch(/['"`]\/v1\//);
  }
});
