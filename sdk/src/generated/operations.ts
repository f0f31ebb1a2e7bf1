// `npm run sdk` generates this file from `openapi/`. Do not edit it.

/** An operation of the API. */
export interface Operation {
  method: 'DELETE' | 'GET' | 'POST';
  /** The path, with `{id}` in the place of an id. */
  path: string;
  /** The response: JSON of one object, a list with pages, the bytes of a file, or a stream of events. */
  answer: 'object' | 'list' | 'file' | 'stream';
  /** The kind of the body. Left out if the operation takes none. */
  body?: 'json' | 'multipart';
  /** Parameters of a POST that belong to the query. All parameters of a GET do. */
  query?: readonly string[];
}

/** The operations of the API by resource and method. */
export interface OperationTable {
  readonly [name: string]: Operation | OperationTable;
}

/** All operations. They are the same in every version. */
export const operations = {
  references: {
    list: { method: 'GET', path: '/v1/references', answer: 'list' },
    create: { method: 'POST', path: '/v1/references', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/references/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/references/{id}', answer: 'object', body: 'json', query: ['expand'] },
    erase: { method: 'POST', path: '/v1/references/{id}/erase', answer: 'object', query: ['expand'] },
    cancel: { method: 'POST', path: '/v1/references/{id}/cancel', answer: 'object', query: ['expand'] },
  },
  applications: {
    list: { method: 'GET', path: '/v1/applications', answer: 'list' },
    create: { method: 'POST', path: '/v1/applications', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/applications/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/applications/{id}', answer: 'object', body: 'json', query: ['expand'] },
    delete: { method: 'DELETE', path: '/v1/applications/{id}', answer: 'object' },
  },
  customers: {
    list: { method: 'GET', path: '/v1/customers', answer: 'list' },
    create: { method: 'POST', path: '/v1/customers', answer: 'object', body: 'json' },
    retrieve: { method: 'GET', path: '/v1/customers/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/customers/{id}', answer: 'object', body: 'json' },
    delete: { method: 'DELETE', path: '/v1/customers/{id}', answer: 'object' },
  },
  files: {
    list: { method: 'GET', path: '/v1/files', answer: 'list' },
    create: { method: 'POST', path: '/v1/files', answer: 'object', body: 'multipart' },
    retrieve: { method: 'GET', path: '/v1/files/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/files/{id}', answer: 'object', body: 'json' },
    delete: { method: 'DELETE', path: '/v1/files/{id}', answer: 'object' },
    contents: { method: 'GET', path: '/v1/files/{id}/contents', answer: 'file' },
  },
  events: {
    list: { method: 'GET', path: '/v1/events', answer: 'list' },
    stream: { method: 'GET', path: '/v1/events/stream', answer: 'stream' },
    retrieve: { method: 'GET', path: '/v1/events/{id}', answer: 'object' },
    listDeliveries: { method: 'GET', path: '/v1/events/{id}/deliveries', answer: 'list' },
    resend: { method: 'POST', path: '/v1/events/{id}/resend', answer: 'object', body: 'json' },
  },
  logs: {
    list: { method: 'GET', path: '/v1/logs', answer: 'list' },
    retrieve: { method: 'GET', path: '/v1/logs/{id}', answer: 'object' },
  },
  webhookEndpoints: {
    list: { method: 'GET', path: '/v1/webhook_endpoints', answer: 'list' },
    create: { method: 'POST', path: '/v1/webhook_endpoints', answer: 'object', body: 'json' },
    retrieve: { method: 'GET', path: '/v1/webhook_endpoints/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/webhook_endpoints/{id}', answer: 'object', body: 'json' },
    delete: { method: 'DELETE', path: '/v1/webhook_endpoints/{id}', answer: 'object' },
    rollSecret: { method: 'POST', path: '/v1/webhook_endpoints/{id}/roll_secret', answer: 'object' },
    ping: { method: 'POST', path: '/v1/webhook_endpoints/{id}/ping', answer: 'object' },
    recover: { method: 'POST', path: '/v1/webhook_endpoints/{id}/recover', answer: 'object', body: 'json' },
    listDeliveries: { method: 'GET', path: '/v1/webhook_endpoints/{id}/deliveries', answer: 'list' },
    listRecoveries: { method: 'GET', path: '/v1/webhook_endpoints/{id}/recoveries', answer: 'list' },
  },
  account: {
    retrieve: { method: 'GET', path: '/v1/account', answer: 'object' },
    update: { method: 'POST', path: '/v1/account', answer: 'object', body: 'json', query: ['expand'] },
    apiVersion: { method: 'POST', path: '/v1/account/api_version', answer: 'object', body: 'json', query: ['expand'] },
    apiVersionRollback: {
      method: 'POST',
      path: '/v1/account/api_version/rollback',
      answer: 'object',
      query: ['expand'],
    },
    apiVersionPreview: { method: 'GET', path: '/v1/account/api_version/preview', answer: 'object' },
  },
  accounts: {
    list: { method: 'GET', path: '/v1/accounts', answer: 'list' },
    create: { method: 'POST', path: '/v1/accounts', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/accounts/{id}', answer: 'object' },
  },
  apiKeys: {
    list: { method: 'GET', path: '/v1/api_keys', answer: 'list' },
    create: { method: 'POST', path: '/v1/api_keys', answer: 'object', body: 'json' },
    retrieve: { method: 'GET', path: '/v1/api_keys/{id}', answer: 'object' },
    delete: { method: 'DELETE', path: '/v1/api_keys/{id}', answer: 'object' },
    roll: { method: 'POST', path: '/v1/api_keys/{id}/roll', answer: 'object', body: 'json' },
  },
  users: {
    list: { method: 'GET', path: '/v1/users', answer: 'list' },
    retrieve: { method: 'GET', path: '/v1/users/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/users/{id}', answer: 'object', body: 'json' },
    delete: { method: 'DELETE', path: '/v1/users/{id}', answer: 'object' },
  },
  invitations: {
    list: { method: 'GET', path: '/v1/invitations', answer: 'list' },
    create: { method: 'POST', path: '/v1/invitations', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/invitations/{id}', answer: 'object' },
    delete: { method: 'DELETE', path: '/v1/invitations/{id}', answer: 'object' },
  },
  testHelpers: {
    references: {
      advance: {
        method: 'POST',
        path: '/v1/test_helpers/references/{id}/advance',
        answer: 'object',
        query: ['expand'],
      },
      complete: {
        method: 'POST',
        path: '/v1/test_helpers/references/{id}/complete',
        answer: 'object',
        body: 'json',
        query: ['expand'],
      },
      fail: {
        method: 'POST',
        path: '/v1/test_helpers/references/{id}/fail',
        answer: 'object',
        body: 'json',
        query: ['expand'],
      },
      note: {
        method: 'POST',
        path: '/v1/test_helpers/references/{id}/note',
        answer: 'object',
        body: 'json',
        query: ['expand'],
      },
    },
    clock: {
      retrieve: { method: 'GET', path: '/v1/test_helpers/clock', answer: 'object' },
      advance: { method: 'POST', path: '/v1/test_helpers/clock/advance', answer: 'object', body: 'json' },
    },
  },
  activity: { retrieve: { method: 'GET', path: '/v1/activity', answer: 'object' } },
  rulesets: { retrieve: { method: 'GET', path: '/v1/rulesets/{id}', answer: 'object' } },
  apiVersions: { list: { method: 'GET', path: '/v1/api_versions', answer: 'list' } },
} as const satisfies OperationTable;
