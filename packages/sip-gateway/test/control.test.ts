/** The control port with faulty, hostile and many apps. */
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTHENTICATE_TIMEOUT_MS } from '../src/control/server.ts';
import { frame } from '../src/control/framing.ts';
import { TORTURE } from './torture/messages.ts';
import type { App, RemotePhone } from './gateway-fixture.ts';
import { GatewayFixture, SDP, SECRET, rounds } from './gateway-fixture.ts';

let fixture: GatewayFixture;
let phone: RemotePhone;

beforeEach(async () => {
  fixture = await GatewayFixture.start();
  phone = await fixture.remotePhone();
});

afterEach(() => fixture.stop());

async function closed(app: App): Promise<void> {
  if (!app.closed) await new Promise<void>((resolve) => app.socket.once('close', () => resolve()));
}

describe('authentication', () => {
  it('reports the addresses and a version that drachtio-srf accepts', async () => {
    const app = await fixture.rawApp();
    const { sipPort } = fixture.gateway;
    const list = `tcp/127.0.0.1:${sipPort},udp/127.0.0.1:${sipPort}`;
    const reply = await app.command(`authenticate|${SECRET}|a,b`);
    expect(reply.fields.slice(3)).toEqual(['OK', list, expect.stringMatching(/^v\d+\.\d+\.\d+/), list]);
  });

  it('rejects a wrong secret and disconnects', async () => {
    const app = await fixture.rawApp();
    const reply = await app.command('authenticate|wrong|');
    expect([reply.result, reply.why]).toEqual(['NO', 'incorrect secret']);
    await closed(app);
  });

  it.each([
    'ping',
    'route|invite',
    'sip||\r\nOPTIONS sip:x@127.0.0.1:9 SIP/2.0\r\n\r\n',
    'remove_route',
    'proxy|a',
  ])('is required before %j', async (command) => {
    const app = await fixture.rawApp();
    expect((await app.command(command)).result).toBe('NO');
    await closed(app);
    expect(fixture.gateway.load.outbound).toBe(0);
  });

  it('has a time limit', async () => {
    const app = await fixture.rawApp();
    await rounds();
    await fixture.pass(AUTHENTICATE_TIMEOUT_MS);
    await closed(app);
    expect(app.inbox.rest).toEqual([]);
  });
});

describe('frames', () => {
  it.each(['abc#', '9999999#', '#', '0#', '300000#'])(
    'that are invalid (%j) close the connection',
    async (octets) => {
      const app = await fixture.app();
      app.socket.write(octets);
      await closed(app);
    },
  );

  it('may be split and joined at any position', async () => {
    const app = await fixture.app();
    for (const octet of frame('p0|ping')) {
      app.socket.write(octet);
      await rounds();
    }
    app.socket.write(frame('p1|ping') + frame('p2|ping'));
    for (const id of ['p0', 'p1', 'p2'])
      expect(await app.inbox.take(`|response|${id}|`)).toContain('|OK|pong');
  });

  it('may be much longer than drachtio-server allows', async () => {
    const app = await fixture.app();
    const pad = 'p'.repeat(20_000);
    const text = `MESSAGE sip:x@127.0.0.1:${phone.port} SIP/2.0\r\nContent-Type: text/plain\r\nX-Pad: ${pad}\r\nX-After: 1\r\n\r\n${'b'.repeat(20_000)}`;
    expect((await app.sip('', '', text)).result).toBe('OK');
    const seen = await phone.inbox.take('MESSAGE');
    expect(seen).toContain(`X-Pad: ${pad}\r\nX-After: 1\r\n`);
    await phone.answer(seen, 200);
  });

  it.each([
    'x1|sip',
    'x2|route',
    'x3|remove_route',
    'x4|authenticate',
    'x5|proxy|a',
    'x6|proxy|11111111-1111-1111-1111-111111111111|',
    'x7|sip||',
    'x8|sip|||',
    'x9|sip||\r\n',
    'x10|sip|t|\r\nINFO sip:a@b SIP/2.0\r\n\r\n',
    'x11|sip|t|\r\nSIP/2.0 abc\r\n\r\n',
    'x12|sip||d\r\nSIP/2.0 200 OK\r\n\r\n',
    'x13|nonsense',
    'justanid',
    'x14|sip||\r\nINVITE sip:a@b SIP/2.0\r\nFrom: <<>>\r\nContact: "x\r\n\r\nv=0',
  ])('%j gets a reply and has no other effect', async (payload) => {
    const other = await fixture.app();
    const app = await fixture.app();
    app.socket.write(frame(payload), 'latin1');
    const reply = await app.inbox.take('|response|');
    expect(reply).toMatch(/\|(NO|NOK|OK)/);
    expect((await other.command('ping')).why).toBe('pong');
  });

  it('preserve octets beyond ASCII and their count', async () => {
    const app = await fixture.app();
    const name = Buffer.from('Zoë Müller').toString('latin1');
    await app.sip(
      '',
      '',
      `OPTIONS sip:x@127.0.0.1:${phone.port} SIP/2.0\r\nFrom: "${name}" <sip:a@localhost>\r\n\r\n`,
    );
    const seen = await phone.inbox.take('OPTIONS');
    expect(seen).toContain(`From: "${name}" <sip:a@127.0.0.1:${fixture.gateway.sipPort}>;tag=`);
    await phone.answer(seen, 200);
    expect((await app.notified('SIP/2.0 200')).sip).toContain(name);
  });
});

describe('routes', () => {
  it('distribute requests among apps in turn, however often each was added', async () => {
    const apps = [await fixture.app('options', 'options', 'options'), await fixture.app('options')];
    for (let i = 0; i < 6; i++) {
      await phone.request('OPTIONS', { call: `o${i}` });
      await rounds();
    }
    expect(apps.map((app) => app.inbox.rest.length)).toEqual([3, 3]);
  });

  it('are removed one by one, and all when the app disconnects', async () => {
    const app = await fixture.app('options', 'message');
    await app.command('remove_route|message');
    await phone.request('MESSAGE', { call: 'm' });
    await phone.inbox.take('SIP/2.0 503');
    await phone.request('OPTIONS', { call: 'o' });
    await app.notified('OPTIONS');
    app.socket.destroy();
    await rounds();
    await phone.request('OPTIONS', { call: 'p' });
    await phone.inbox.take('SIP/2.0 503');
  });
});

describe('requests from the network that are not for apps', () => {
  it.each([
    ['REFER', 405],
    ['FOO', 501],
    ['BYE', 481],
    ['UPDATE', 481],
    ['PRACK', 481],
    ['CANCEL', 481],
  ])('%s outside a dialog gets %i', async (method, status) => {
    await fixture.app('invite');
    await phone.request(method);
    await phone.inbox.take(`SIP/2.0 ${status}`);
  });

  it('malformed ones are rejected without a transaction, except an ACK', async () => {
    await phone.send(
      'OPTIONS <sip:x> SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK1\r\nFrom: <sip:a@h>;tag=1\r\nTo: <sip:b@h>\r\nCall-ID: c\r\nCSeq: 1 OPTIONS\r\n\r\n',
    );
    await phone.inbox.take('SIP/2.0 400');
    await phone.send(
      'ACK sip:x SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK1\r\nFrom: <sip:a@h>;tag=1\r\nTo: "open <sip:b@h>\r\nCall-ID: c\r\nCSeq: 1 ACK\r\n\r\n',
    );
    await rounds();
    expect(phone.inbox.rest).toEqual([]);
    expect(fixture.gateway.load.serverTransactions).toBe(0);
    expect(fixture.gateway.counters.refused).toBe(2);
  });

  it('torture messages and noise on both transports leave the gateway working', async () => {
    const app = await fixture.app('options');
    const stream = net.connect({ host: '127.0.0.1', port: fixture.gateway.sipPort });
    stream.on('error', () => undefined);
    let seed = 1;
    const noise = (): string => {
      let text = '';
      for (let i = 0; i < 400; i++)
        text += String.fromCharCode((seed = (seed * 48_271) % 2_147_483_647) & 0xff);
      return text;
    };
    for (const { text } of TORTURE) {
      await phone.send(text);
      await phone.send(noise());
      await phone.send(text.slice(0, text.length >> 1));
      stream.write(text, 'latin1');
    }
    stream.write(noise(), 'latin1');
    await rounds();
    await phone.request('OPTIONS', { call: 'after' });
    await app.notified('Call-ID: after');
    stream.destroy();
  });

  it('a flood from one source is dropped and counted, and established calls continue', async () => {
    await fixture.stop();
    fixture = await GatewayFixture.start({ flood: { ratePerSecond: 5, burst: 10, unlimited: new Set() } });
    phone = await fixture.remotePhone();
    const app = await fixture.app('invite', 'options');
    await phone.request('INVITE', { call: 'up', body: SDP });
    const invite = await app.notified('INVITE');
    const reply = await app.sip(invite.txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`);
    const toTag = /To: .*;tag=(\S+)/.exec(reply.sip)?.[1] ?? '';
    await phone.request('ACK', { call: 'up', toTag });
    await app.notified('ACK');
    for (let i = 0; i < 100; i++) await phone.request('OPTIONS', { call: `flood${i}` });
    await rounds();
    expect(app.inbox.rest).toHaveLength(9);
    expect(fixture.gateway.counters.flooded).toBe(91);
    await phone.request('BYE', { call: 'up', cseq: 2, toTag });
    await app.notified('BYE');
  });
});
