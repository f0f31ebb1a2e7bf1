import { expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { serverForTest } from '../support/server.ts';

test('lets no page of another origin send a key or read a response', async () => {
  const server = await serverForTest();
  const headers = [
    'Origin: https://elsewhere.example.com',
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization',
    'Access-Control-Request-Private-Network: true',
  ];
  const paths = ['/v1/references', '/v1/account', '/v1/nothing', '/healthz', '/docs', '/docs/errors', '/metrics', '*'];
  for (const path of paths) {
    // A browser asks first, without a key. It proceeds only after a success that names its origin.
    const asked = await rawRequest(server, `OPTIONS ${path}`, { key: null, headers });
    if (path.startsWith('/v1')) expect(asked.status, path).toBeGreaterThanOrEqual(400);
    for (const { headers: told } of [asked, await rawRequest(server, `GET ${path}`, { headers })]) {
      expect([...told.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(told.get('set-cookie')).toBeNull();
    }
  }
});
