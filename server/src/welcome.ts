import type { Config } from './config.ts';

/** What the start prints: all that is needed for the first request, and where the data is. */
export function welcome(config: Config, dataPlace: string, newSecretKey: string | null): string {
  const key = newSecretKey ?? '<your secret key>';
  const keyLine = newSecretKey
    ? `Secret key    ${newSecretKey}   (shown only now)`
    : 'Secret key    as before; `npm run new-key` makes another one';
  return `
Tenure is running in ${config.mode} mode.

API           ${config.publicUrl}/v1
Reference     ${config.publicUrl}/docs
${keyLine}

Create a reference:

  curl ${config.publicUrl}/v1/references \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"application": "app_1", "customer": "cus_1"}'

Data          ${dataPlace}

`;
}
