import { describe, expect, test } from 'vitest';
import { drip } from '../support/raw-http.ts';
import { serverForTest } from '../support/server.ts';

describe('slow senders', () => {
  test('cuts a sender off without a trace when its headers or body take too long', async () => {
    const server = await serverForTest();
    const port = Number(new URL(server.url).port);
    const head = `POST /v1/references HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
    const body = `${head}Content-Type: application/json\r\n`;
    // Ten seconds for headers, fifteen for the whole request, and up to 2 s until the next check. A machine that stops for some seconds
    // hides which was sooner. Then they are sent again.
    let isHeadersSooner = false;
    for (let round = 0; round < 8 && !isHeadersSooner; round++) {
      const [silent, headers, sized, chunked] = await Promise.all([
        drip(port, '', ''),
        drip(port, head, 'X-More: x\r\n'),
        drip(port, `${body}Content-Length: 100000\r\n\r\n{`, ' '),
        drip(port, `${body}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
      ]);
      const withHeaders = [silent, headers].map(({ closedAfterMs }) => closedAfterMs);
      const whole = [sized, chunked].map(({ closedAfterMs }) => closedAfterMs);
      expect(Math.min(...withHeaders)).toBeGreaterThan(9_000);
      expect(Math.min(...whole)).toBeGreaterThan(14_000);
      isHeadersSooner = Math.max(...withHeaders) < Math.min(...whole);
      for (const { text } of [headers, sized, chunked]) {
        expect(text).toMatch(/^HTTP\/1\.1 408 /);
        expect(text).toMatch(/\r\nrequest-id: req_/i);
        expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).error).toMatchObject({ code: 'request_timeout' });
        expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
      }
    }
    expect(isHeadersSooner).toBe(true);
    expect((await server.api.get('/v1/references')).body.count).toBe(0);
  });
});
