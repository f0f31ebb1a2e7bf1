import { operatorCommand } from '../core/installation.ts';
import { ownUrl, type Config } from './config.ts';
import { version } from './version.ts';

/** Returns the text that the start prints: all that the first request needs, and where the data is. A worker says that it serves none. */
export function welcome(config: Config, dataPlace: string, made: Made): string {
  return config.role === 'worker' ? welcomeOfWorker(config, dataPlace) : welcomeOfApi(config, dataPlace, made);
}

/** What the start has made, and shows only now. Null if it was there before, or if it is not shown. */
interface Made {
  /** False if the output may be a log, where no secret belongs. */
  showsSecrets: boolean;
  secretKey: string | null;
  /** The link to the dashboard for its first owner. */
  dashboardLink: string | null;
}

function welcomeOfApi(config: Config, dataPlace: string, { secretKey, dashboardLink, showsSecrets }: Made): string {
  const key = secretKey ?? '<your secret key>';
  const dashboardLine = dashboardLink
    ? `Dashboard     ${dashboardLink}   (once, within an hour)\n`
    : `Dashboard     ${config.publicUrl}/dashboard${showsSecrets ? '' : `   (\`${operatorCommand('login-link')}\` prints a link)`}\n`;
  return `
Tenure ${version} is running in ${config.mode} mode.

${config.hasDashboard ? dashboardLine : ''}API           ${config.publicUrl}/v1
API docs      ${config.publicUrl}/docs
Secret key    ${secretKeyLine(config, secretKey, showsSecrets)}

Create a reference:

  curl ${config.publicUrl}/v1/references \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"application": "app_1", "customer": "cus_1"}'

Data          ${dataPlace}

`;
}

function secretKeyLine({ secretKey: given }: Config, made: string | null, showsSecrets: boolean): string {
  if (given !== null)
    return `as before, or as set in TENURE_SECRET_KEY; \`${operatorCommand('new-key')}\` makes another one`;
  if (made !== null) return `${made}   (shown only now)`;
  return showsSecrets
    ? `as before; \`${operatorCommand('new-key')}\` makes another one`
    : `not shown in a log; \`${operatorCommand('new-key')}\` makes one`;
}

function welcomeOfWorker(config: Config, dataPlace: string): string {
  const url = ownUrl(config);
  return `
Tenure ${version} is running in ${config.mode} mode, as a worker.
It delivers webhooks, runs automatic references, collects payments and sends e-mails.
Requests go to a process of the role \`api\` or \`all\`.

Health        ${url}/healthz, ${url}/readyz
Metrics       ${url}/metrics
Data          ${dataPlace}

`;
}
