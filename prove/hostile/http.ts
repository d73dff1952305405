/** Attacks on the pages, the API, the assistant endpoint, and the ports of health and metrics. */
import type { Attack } from './attack.ts';
import { HOST, inParallel, openLine, say, stranger } from './wire.ts';

const MEGABYTE = 2 ** 20;
const ANSWER_MS = 5_000;
/** A busy process must answer within this time. */
const LONGEST_ANSWER_MS = 3_000;

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const nestedObject = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

function post(path: string, body: string, headers = ''): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
  );
}

const BODIES: readonly string[] = [
  nested(100_000),
  nestedObject(50_000),
  `[${'0,'.repeat(2 * MEGABYTE)}0]`,
  `{"email":"${'a'.repeat(MEGABYTE)}"}`,
  `[${Array(5_000).fill('{"jsonrpc":"2.0","id":1,"method":"tools/list"}').join(',')}]`,
  '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
  '{"a":1e400,"b":-0,"c":"\\ud800"}',
  '\u0000',
  '',
];

const largeBodies: Attack = {
  name: 'bodies that are too deep, too long or not JSON',
  async run({ t, random }, scale) {
    const paths = [
      '/v1/tenants',
      '/v1/tenants/shop/calls',
      '/mcp',
      '/app/api/access/forgot-password',
      '/demo/call',
      '/webhooks/whatsapp',
    ];
    const keyed = `Authorization: Bearer ${t.account.apiKey}\r\n`;
    const requests = paths.flatMap((path) =>
      BODIES.flatMap((body) => [post(path, body), post(path, body, keyed)]),
    );
    const rounds = Array.from({ length: Math.max(1, Math.round(5 * scale)) }, () => requests).flat();
    await inParallel(rounds, 4, (request) =>
      say(t.stack.ports.web, request, { from: stranger(random), waitMs: ANSWER_MS }),
    );
    return [];
  },
};

/** Malformed requests. */
const MALFORMED: readonly string[] = [
  `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(MEGABYTE)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: a\r\n'.repeat(50_000)}\r\n`,
  'GET /v1/%zz/%00/%c0%ae HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET //socket.io/../../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET http://169.254.169.254/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'POST /v1/tenants HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n',
  'POST /v1/tenants HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: a\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\0'.repeat(100_000),
];

const malformedRequests: Attack = {
  name: 'malformed requests and large headers',
  async run({ t, random }, scale) {
    const { web, realtime, media, worker, webMetrics, realtimeMetrics } = t.stack.ports;
    const requests = [web, realtime, media, worker, webMetrics, realtimeMetrics].flatMap((port) =>
      MALFORMED.map((bytes) => ({ port, bytes })),
    );
    const rounds = Array.from({ length: Math.max(1, Math.round(10 * scale)) }, () => requests).flat();
    await inParallel(rounds, 20, ({ port, bytes }) =>
      say(port, bytes, { from: stranger(random), waitMs: 500 }),
    );
    return [];
  },
};

/** Incomplete requests, while other clients are answered. */
const slowRequests: Attack = {
  name: 'slow bodies and slow headers',
  async run({ t, random }, scale) {
    const { web, realtime } = t.stack.ports;
    const starts = [
      post('/v1/tenants', 'x'.repeat(1_000)).slice(0, -999),
      post('/mcp', 'x'.repeat(1_000)).slice(0, -999),
      post('/socket.io?EIO=4&transport=polling&sid=x', 'x'.repeat(1_000)).slice(0, -999),
      'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ',
      '',
    ];
    const lines = [web, realtime].flatMap((port) =>
      Array.from({ length: Math.ceil(40 * scale) }, () => starts).flatMap((all) =>
        all.map((start) => {
          const line = openLine(port, stranger(random));
          line.socket.write(start);
          return line;
        }),
      ),
    );
    const asked = performance.now();
    const answer = await fetch(`${t.baseUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
      () => null,
    );
    const tookMs = performance.now() - asked;
    for (const { socket } of lines) socket.destroy();
    const isServed = answer?.ok === true && tookMs < LONGEST_ANSWER_MS;
    return isServed ? [] : [`/healthz took ${tookMs.toFixed(0)} ms during ${lines.length} slow requests`];
  },
};

const resetMails: Attack = {
  name: 'a flood of password resets',
  async run({ t, random }, scale) {
    const body = JSON.stringify({ email: 'owner@acme.example' });
    const origin = `Origin: ${t.baseUrl}\r\nX-Forwarded-For: 203.0.113.9\r\n`;
    const request = post('/app/api/access/forgot-password', body, origin);
    await inParallel(Array.from({ length: Math.ceil(300 * scale) }), 10, () =>
      say(t.stack.ports.web, request, { from: stranger(random), waitMs: ANSWER_MS }),
    );
    return [];
  },
};

export const httpAttacks: readonly Attack[] = [largeBodies, malformedRequests, slowRequests, resetMails];
