/** The part of the provider that the tests use. The package has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
