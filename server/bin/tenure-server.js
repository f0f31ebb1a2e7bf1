#!/usr/bin/env node
/*
 * The program of an installed release. Without a command it starts the server. It replaces itself by a Node with the flags of `npm start`,
 * so that signals reach the server.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const commands = {
  start: 'Start the server. This is the default.',
  'new-key': 'Print another secret key.',
  'new-account': 'Make a root account: another tree of accounts.',
  'move-account': 'Move a tree of accounts to another cell.',
  'login-link': 'Print a link to the dashboard.',
  backup: 'Copy the embedded database into a folder.',
  restore: 'Put a backup into an empty DATA_DIR.',
  'release-version': 'Serve the newest version of the API.',
  'provider-check': 'Check a referencing service by the protocol.',
  canopy: 'Translate between Tenure and Canopy, a referencing company.',
  seed: 'Fill a running sandbox with the records of a letting agency.',
};

/** As `npm start` has them (docs/decisions/0008). Freed memory goes back to the system. */
const serverFlags = ['--max-semi-space-size=8', '--max-old-space-size=512'];
const serverEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '1048576',
};

const help = `tenure-server [command]

${Object.entries(commands)
  .map(([name, text]) => `  ${name.padEnd(16)} ${text}`)
  .join('\n')}

\`tenure-server <command> --help\` explains a command. Environment variables are the settings: see docs/configuration.md.
`;

const [command = 'start', ...args] = process.argv.slice(2);
const asksForHelp = (word) => word === '--help' || word === '-h';
if (asksForHelp(command) || command === 'help' || (command === 'start' && asksForHelp(args[0]))) {
  process.stdout.write(help);
} else if (command === '--version') {
  process.stdout.write(`${JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version}\n`);
} else if (Number.parseInt(process.versions.node, 10) < 26) {
  refuse(`Tenure needs Node 26 or newer, and this is ${process.versions.node}. Install it from https://nodejs.org.\n`);
} else if (!Object.hasOwn(commands, command)) {
  refuse(`There is no command ${command}.\n\n${help}`);
} else if (command === 'start' && args.length > 0) {
  refuse(help);
} else if (command === 'start') {
  replaceBy([...serverFlags, moduleOf('main')], { ...serverEnvironment, ...process.env });
} else {
  replaceBy([moduleOf(`commands/${command}`), ...args], process.env);
}

function refuse(text) {
  process.stderr.write(text);
  process.exitCode = 2;
}

/** Runs Node in this process. So the server gets the signals, and a supervisor its exit code. */
function replaceBy(nodeArgs, environment) {
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...nodeArgs], environment);
}

/** Returns a module of the server: compiled in a release, and the source in the repository. */
function moduleOf(name) {
  const compiled = fileURLToPath(new URL(`../src/${name}.js`, import.meta.url));
  return existsSync(compiled) ? compiled : fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
}
