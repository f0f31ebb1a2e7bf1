import { ownUrl, type Config } from './config.ts';

/** Returns the text that the start prints: all that the first request needs, and where the data is. A worker says that it serves none. */
export function welcome(config: Config, dataPlace: string, made: Made): string {
  return config.role === 'worker' ? welcomeOfWorker(config, dataPlace) : welcomeOfApi(config, dataPlace, made);
}

/** What the start has made, and shows only now. Null if it was there before. */
interface Made {
  secretKey: string | null;
  /** The link to the dashboard for its first owner. */
  dashboardLink: string | null;
}

function welcomeOfApi(config: Config, dataPlace: string, { secretKey, dashboardLink }: Made): string {
  const key = secretKey ?? '<your secret key>';
  const dashboardLine = dashboardLink
    ? `Dashboard     ${dashboardLink}   (once, within an hour)\n`
    : `Dashboard     ${config.publicUrl}/dashboard\n`;
  const keyLine = secretKey
    ? `Secret key    ${secretKey}   (shown only now)`
    : 'Secret key    as before; `npm run new-key` makes another one';
  return `
Tenure is running in ${config.mode} mode.

${config.hasDashboard ? dashboardLine : ''}API           ${config.publicUrl}/v1
API docs      ${config.publicUrl}/docs
${keyLine}

Create a reference:

  curl ${config.publicUrl}/v1/references \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"application": "app_1", "customer": "cus_1"}'

Data          ${dataPlace}

`;
}

function welcomeOfWorker(config: Config, dataPlace: string): string {
  const url = ownUrl(config);
  return `
Tenure is running in ${config.mode} mode, as a worker: it delivers webhooks and carries automatic references on.
Requests go to a process of the role \`api\` or \`all\`.

Health        ${url}/healthz, ${url}/readyz
Metrics       ${url}/metrics
Data          ${dataPlace}

`;
}
