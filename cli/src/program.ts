import { Command } from 'commander';
import { catalogue } from './catalogue.ts';
import {
  addCompletion,
  addDoctor,
  addEventsTail,
  addListen,
  addLogsTail,
  addMcp,
  addOpen,
  addRequests,
  addSignIn,
  addTrigger,
} from './commands/definitions.ts';
import { addVerbs } from './commands/resource.ts';
import { version } from './version.ts';

/** The resources, with what they are. A test compares them with the API. */
export const resourceTexts: Record<string, string> = {
  references: 'Checks of a person as a tenant',
  applications: 'Applications to rent a home',
  guarantors: 'Persons that pay if the tenants do not',
  buildings: 'Houses and blocks of flats',
  units: 'Homes to let',
  tenancies: 'Lets of homes to tenants',
  deposits: 'Deposits of applicants and tenants',
  subscriptions: 'Rents and services that are invoiced in periods',
  invoices: 'Demands for money of tenants',
  payments: 'Money of tenants',
  payment_imports: 'Bank statements that were imported',
  bank_lines: 'Lines of bank statements, which become payments',
  customers: 'Applicants and tenants',
  retention_holds: 'Data of erased persons that legal duties keep',
  files: 'Reports and evidence',
  file_links: 'Links with which others open a file',
  portal_sessions: 'Links with which a person opens the portal',
  events: 'Changes of records',
  logs: 'Requests that changed something',
  activity: 'Requests, events and attempts by time',
  webhook_endpoints: 'URLs that receive events',
  workflows: 'Steps that run when something happens',
  workflow_runs: 'Runs of workflows',
  account: 'The account of the key',
  accounts: 'Connected accounts',
  api_keys: 'Keys and their permissions',
  approval_requests: 'Requests of agents that wait for a person',
  api_versions: 'Versions of the API',
  referencing_providers: 'Services that check people',
  rulesets: 'The checks of the law on a day',
  test_helpers: 'Outcomes and the clock of a sandbox',
};

/** The operations that belong to no resource, with what they do. A test compares them with the API. */
export const operationTexts: Record<string, string> = {
  search: 'Find records by parts of their texts',
};

/** Makes all commands. Those of a resource are made in detail only if the command line names the resource: that takes time. */
export function makeProgram(args: readonly string[]): Command {
  const program = new Command('tenure');
  program
    .description('The command line of Tenure, the leasing API.')
    .version(version, '-V, --version', 'print the version')
    .option('--profile <name>', 'the profile to use (TENURE_PROFILE)')
    .option('--base-url <url>', 'the address of the server (TENURE_BASE_URL)')
    .option('--account <id>', 'act for this connected account')
    .option('--service-version <date>', 'the API version of requests and output')
    .option('--json', 'print JSON, as the API answers')
    .option('--fields <a,b>', 'show these fields only')
    .option('--curl', 'print the request instead of sending it, without the key')
    .option('-y, --yes', 'answer all questions with yes')
    .option('--no-input', 'never ask; fail instead')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  $ tenure login
  $ tenure listen --forward-to http://localhost:3000/webhooks
  $ tenure references create --application app_1 --metadata branch=york
  $ tenure references list --status pending --json | jq .data[].id

Exit codes: 0 done, 1 refused by the API, 2 wrong use, 4 not signed in or not
permitted, 6 the server cannot be reached, 130 interrupted.`,
    );
  program.commandsGroup('Commands:');
  addListen(program);
  addTrigger(program);
  addSignIn(program);
  addOpen(program);
  addDoctor(program);
  addMcp(program);
  addCompletion(program);
  program.commandsGroup('Any request:');
  addRequests(program);
  const named = new Set(args.map((arg) => arg.replaceAll('-', '_')));
  for (const [name, text] of Object.entries(operationTexts)) {
    if (named.has(name)) addVerbs(program, '', name);
    else program.command(name).summary(text);
  }
  program.commandsGroup('Resources:');
  for (const [resource, text] of Object.entries(resourceTexts)) {
    const command = program.command(resource).summary(text).description(`${text}.`);
    if (!named.has(resource)) continue;
    if (resource === 'test_helpers') {
      for (const name of Object.keys(catalogue().resources).filter((one) => one.startsWith(`${resource} `))) {
        const inner = name.slice(resource.length + 1);
        addVerbs(command.command(inner).summary(`Helpers for ${inner} in a sandbox`), name);
      }
    } else addVerbs(command, resource);
    if (resource === 'events') addEventsTail(command);
    if (resource === 'logs') addLogsTail(command);
  }
  for (const command of allCommands(program)) {
    command.configureHelp({ showGlobalOptions: false, sortSubcommands: false });
    command.exitOverride().showSuggestionAfterError(true);
    command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')) });
  }
  return program;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
