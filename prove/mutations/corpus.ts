/** Well-formed messages of each kind, to be mutated. */
import { clientMessages } from '@clarion/protocol/socket';
import { buildRtp } from '@clarion/test-phone/rtp/packet';
import { TORTURE } from '../../packages/sip-gateway/test/torture/messages.ts';
import { mediaNoise, sampleInvite, sipRequest } from '../hostile/telephony.ts';
import { HOST } from '../hostile/wire.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

const METHODS = [
  'OPTIONS',
  'REGISTER',
  'BYE',
  'CANCEL',
  'ACK',
  'INFO',
  'UPDATE',
  'PRACK',
  'REFER',
  'MESSAGE',
];
const RICH_INVITE = sampleInvite().replace(
  'Max-Forwards: 70',
  [
    'Max-Forwards: 70',
    'P-Asserted-Identity: "Ada" <sip:+447700900123@example.com>, <tel:+447700900123>',
    'Diversion: <sip:+442079460000@example.com>;reason=unconditional',
    'Session-Expires: 1800;refresher=uac',
    'Supported: timer, 100rel, replaces',
    'Record-Route: <sip:proxy.example.com;lr>',
    'Authorization: Digest username="a", realm="b", nonce="c", uri="sip:d", response="e"',
  ].join('\r\n'),
);
const response = (status: string) =>
  sipRequest('INVITE')
    .replace(/^.*\r\n/, `SIP/2.0 ${status}\r\n`)
    .replace('Max-Forwards: 70\r\n', '');

export const sipCorpus: readonly Buffer[] = [
  sampleInvite(),
  RICH_INVITE,
  ...METHODS.map((method) => sipRequest(method)),
  ...METHODS.map((method) => sipRequest(method, { toTag: 'none' })),
  ...['100 Trying', '183 Session Progress', '200 OK', '401 Unauthorized', '486 Busy Here'].map(response),
  ...TORTURE.map(({ text }) => text),
].map(latin);

const rtp = (payloadType: number, payload: Uint8Array) =>
  buildRtp({ payloadType, marker: true, sequence: 7, timestamp: 160, ssrc: 9, payload });

/** RTP of speech, a key and comfort noise; RTCP; packets that start like STUN and DTLS. */
export const audioCorpus: readonly Buffer[] = [
  rtp(8, new Uint8Array(160).fill(0xd5)),
  rtp(0, new Uint8Array(160).fill(0xff)),
  rtp(101, Uint8Array.of(5, 0x8a, 0x03, 0x20)),
  rtp(13, Uint8Array.of(0x40)),
  ...Array.from({ length: 16 }, (_, kind) => mediaNoise(Buffer.alloc(120, kind), kind)),
  Buffer.from('000100002112a442000102030405060708090a0b', 'hex'), // STUN, RFC 8489 section 5
];

/** Every message that an authenticated app can send. */
export const agentCorpus: readonly Buffer[] = Object.keys(clientMessages)
  .flatMap((name, id) => [
    `42/agent,${id}["${name}",{"callId":1,"sdpOffer":"v=0\\r\\n","status":"AVAILABLE","mode":"LISTEN","digits":"1"}]`,
    `42/agent,["${name}",{"callId":1,"agentId":1,"held":true,"muted":false,"paused":true}]`,
  ])
  .concat('41/agent,', '43/agent,1[{"ok":true}]', '40/agent,{"token":"x","deviceId":"d"}', '3', '2probe')
  .map(latin);

export const handshakeCorpus: readonly Buffer[] = [
  '40/agent,{"token":"eyJhbGciOiJIUzI1NiJ9.e30.x","deviceId":"d","sdk":"s"}',
  '40/dashboard,{"ticket":"a.b.c","deviceId":"d"}',
  '40/media,{"nodeId":"n","startedAt":"now","capacity":1}',
  '40',
  '42["a",1]',
].map(latin);

const request = (line: string, body = '', headers = '') =>
  `${line} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

/** @param apiKey of the account: half of the requests are authenticated */
export const httpCorpus = (apiKey: string): readonly Buffer[] =>
  [
    ['GET /v1/tenants?limit=5&cursor=x'],
    ['GET /v1/calls?status=ACTIVE&from=2026-01-01T00:00:00Z'],
    ['PUT /v1/tenants/zoo', '{"name":"Zoo","settings":{"locale":"en-GB"}}'],
    ['PUT /v1/tenants/zoo/agents/kai', '{"name":"Kai","role":"AGENT"}'],
    [
      'POST /v1/tenants/zoo/calls',
      '{"channel_ref":"main","agent_ref":"kai","customer":{"address":"+442079460999"}}',
    ],
    [
      'POST /mcp',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"docs_search","arguments":{"query":"a"}}}',
    ],
    ['POST /app/api/access/forgot-password', '{"email":"a@b.example"}'],
    ['GET /files/a/b/c.ogg?expires=1&signature=x'],
    ['GET /docs/quick-start.md'],
    ['GET /docs/search?q=calls'],
    ['GET /socket.io?EIO=4&transport=polling'],
    ['GET /app/sign-in'],
  ].flatMap(([line = '', body]) => [
    latin(request(line, body)),
    latin(request(line, body, `Authorization: Bearer ${apiKey}\r\n`)),
  ]);
