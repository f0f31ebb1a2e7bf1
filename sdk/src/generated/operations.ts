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
    approve: {
      method: 'POST',
      path: '/v1/applications/{id}/approve',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    reject: { method: 'POST', path: '/v1/applications/{id}/reject', answer: 'object', body: 'json', query: ['expand'] },
    withdraw: { method: 'POST', path: '/v1/applications/{id}/withdraw', answer: 'object', query: ['expand'] },
    requestReview: {
      method: 'POST',
      path: '/v1/applications/{id}/request_review',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    review: { method: 'POST', path: '/v1/applications/{id}/review', answer: 'object', body: 'json', query: ['expand'] },
  },
  guarantors: {
    list: { method: 'GET', path: '/v1/guarantors', answer: 'list' },
    create: { method: 'POST', path: '/v1/guarantors', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/guarantors/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/guarantors/{id}', answer: 'object', body: 'json', query: ['expand'] },
    delete: { method: 'DELETE', path: '/v1/guarantors/{id}', answer: 'object' },
    agree: { method: 'POST', path: '/v1/guarantors/{id}/agree', answer: 'object', body: 'json', query: ['expand'] },
    decline: { method: 'POST', path: '/v1/guarantors/{id}/decline', answer: 'object', query: ['expand'] },
    release: { method: 'POST', path: '/v1/guarantors/{id}/release', answer: 'object', body: 'json', query: ['expand'] },
  },
  buildings: {
    list: { method: 'GET', path: '/v1/buildings', answer: 'list' },
    create: { method: 'POST', path: '/v1/buildings', answer: 'object', body: 'json' },
    retrieve: { method: 'GET', path: '/v1/buildings/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/buildings/{id}', answer: 'object', body: 'json' },
    delete: { method: 'DELETE', path: '/v1/buildings/{id}', answer: 'object' },
  },
  units: {
    list: { method: 'GET', path: '/v1/units', answer: 'list' },
    create: { method: 'POST', path: '/v1/units', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/units/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/units/{id}', answer: 'object', body: 'json', query: ['expand'] },
    delete: { method: 'DELETE', path: '/v1/units/{id}', answer: 'object' },
  },
  tenancies: {
    list: { method: 'GET', path: '/v1/tenancies', answer: 'list' },
    create: { method: 'POST', path: '/v1/tenancies', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/tenancies/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/tenancies/{id}', answer: 'object', body: 'json', query: ['expand'] },
    sign: { method: 'POST', path: '/v1/tenancies/{id}/sign', answer: 'object', body: 'json', query: ['expand'] },
    giveNotice: {
      method: 'POST',
      path: '/v1/tenancies/{id}/give_notice',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    withdrawNotice: {
      method: 'POST',
      path: '/v1/tenancies/{id}/withdraw_notice',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    end: { method: 'POST', path: '/v1/tenancies/{id}/end', answer: 'object', body: 'json', query: ['expand'] },
    cancel: { method: 'POST', path: '/v1/tenancies/{id}/cancel', answer: 'object', body: 'json', query: ['expand'] },
    requestPet: {
      method: 'POST',
      path: '/v1/tenancies/{id}/request_pet',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    answerPet: {
      method: 'POST',
      path: '/v1/tenancies/{id}/answer_pet',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    listLedger: { method: 'GET', path: '/v1/tenancies/{id}/ledger', answer: 'list' },
    retrieveStatement: { method: 'GET', path: '/v1/tenancies/{id}/statement', answer: 'object' },
  },
  subscriptions: {
    list: { method: 'GET', path: '/v1/subscriptions', answer: 'list' },
    create: { method: 'POST', path: '/v1/subscriptions', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/subscriptions/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/subscriptions/{id}', answer: 'object', body: 'json', query: ['expand'] },
    changeAmount: {
      method: 'POST',
      path: '/v1/subscriptions/{id}/change_amount',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
    cancelChange: { method: 'POST', path: '/v1/subscriptions/{id}/cancel_change', answer: 'object', query: ['expand'] },
    pause: { method: 'POST', path: '/v1/subscriptions/{id}/pause', answer: 'object', body: 'json', query: ['expand'] },
    resume: { method: 'POST', path: '/v1/subscriptions/{id}/resume', answer: 'object', query: ['expand'] },
    cancel: {
      method: 'POST',
      path: '/v1/subscriptions/{id}/cancel',
      answer: 'object',
      body: 'json',
      query: ['expand'],
    },
  },
  invoices: {
    list: { method: 'GET', path: '/v1/invoices', answer: 'list' },
    create: { method: 'POST', path: '/v1/invoices', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/invoices/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/invoices/{id}', answer: 'object', body: 'json', query: ['expand'] },
    delete: { method: 'DELETE', path: '/v1/invoices/{id}', answer: 'object' },
    finalize: { method: 'POST', path: '/v1/invoices/{id}/finalize', answer: 'object', query: ['expand'] },
    credit: { method: 'POST', path: '/v1/invoices/{id}/credit', answer: 'object', body: 'json', query: ['expand'] },
    void: { method: 'POST', path: '/v1/invoices/{id}/void', answer: 'object', body: 'json', query: ['expand'] },
    markUncollectible: {
      method: 'POST',
      path: '/v1/invoices/{id}/mark_uncollectible',
      answer: 'object',
      query: ['expand'],
    },
  },
  payments: {
    list: { method: 'GET', path: '/v1/payments', answer: 'list' },
    create: { method: 'POST', path: '/v1/payments', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/payments/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/payments/{id}', answer: 'object', body: 'json', query: ['expand'] },
    succeed: { method: 'POST', path: '/v1/payments/{id}/succeed', answer: 'object', query: ['expand'] },
    fail: { method: 'POST', path: '/v1/payments/{id}/fail', answer: 'object', body: 'json', query: ['expand'] },
    cancel: { method: 'POST', path: '/v1/payments/{id}/cancel', answer: 'object', query: ['expand'] },
    allocate: { method: 'POST', path: '/v1/payments/{id}/allocate', answer: 'object', body: 'json', query: ['expand'] },
    refund: { method: 'POST', path: '/v1/payments/{id}/refund', answer: 'object', body: 'json', query: ['expand'] },
  },
  customers: {
    list: { method: 'GET', path: '/v1/customers', answer: 'list' },
    create: { method: 'POST', path: '/v1/customers', answer: 'object', body: 'json', query: ['expand'] },
    retrieve: { method: 'GET', path: '/v1/customers/{id}', answer: 'object' },
    update: { method: 'POST', path: '/v1/customers/{id}', answer: 'object', body: 'json', query: ['expand'] },
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
