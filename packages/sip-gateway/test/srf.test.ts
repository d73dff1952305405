/** drachtio-srf itself, unchanged, on two gateways that call each other. */
import { readFileSync } from 'node:fs';
import Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SipGateway } from '../src/index.ts';
import { startSipGateway } from '../src/index.ts';
import { Inbox } from './inbox.ts';
import { SDP, SECRET } from './gateway-fixture.ts';

const pem = (name: string): string => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), 'utf8');
const TLS = { key: pem('key'), cert: pem('cert'), ca: pem('cert'), port: 0 };
const ANSWER = SDP.replace('o=t', 'o=answer');
const CHANGED = SDP.replace('o=t 1 1', 'o=t 1 2');

/** A gateway with a drachtio-srf application on it. */
interface Side {
  readonly gateway: SipGateway;
  readonly srf: Srf;
}

async function side(): Promise<Side> {
  const gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, tls: TLS });
  const srf = new Srf();
  // Requests without a handler in the test must not be rejected silently.
  srf.on('error', () => undefined);
  return { gateway, srf };
}

/** `request` of an application or a dialog; drachtio-srf's own declaration requires more than it needs. */
function sendWith<T>(sender: object, ...given: unknown[]): Promise<T> {
  const send: (...given: unknown[]) => Promise<T> = Reflect.get(sender, 'request');
  return send.apply(sender, given);
}

async function connect({ srf, gateway }: Side): Promise<void> {
  const connected = new Promise<void>((resolve, reject) => {
    srf.on('connect', (error) => (error instanceof Error ? reject(error) : resolve()));
  });
  await Promise.all([
    connected,
    srf.connect({ host: '127.0.0.1', port: gateway.controlPort, secret: SECRET }),
  ]);
}

describe.each(['udp', 'tcp', 'tls'] as const)('drachtio-srf over %s', (transport) => {
  let caller: Side;
  let callee: Side;
  let target: string;
  /** What the callee's application received. */
  let seen: Inbox;

  beforeEach(async () => {
    [caller, callee] = await Promise.all([side(), side()]);
    const port = transport === 'tls' ? callee.gateway.tlsPort : callee.gateway.sipPort;
    target = `sip:bob@127.0.0.1:${port};transport=${transport}`;
    seen = new Inbox('callee');
  });

  afterEach(async () => {
    for (const { srf, gateway } of [caller, callee]) {
      srf.disconnect();
      expect(gateway.load.dialogs).toBe(0);
      expect(gateway.load.inbound).toBe(0);
      await gateway.close();
    }
  });

  /** The callee answers; returns both dialogs. */
  async function call(): Promise<{ uac: Srf.Dialog; uas: Srf.Dialog }> {
    const answered = new Promise<Srf.Dialog>((resolve, reject) => {
      callee.srf.invite((req, res) => {
        res.send(180);
        callee.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject);
      });
    });
    await Promise.all([connect(caller), connect(callee)]);
    const provisional: number[] = [];
    const uac = await caller.srf.createUAC(
      target,
      { localSdp: SDP, headers: { 'X-Custom': 'abc', from: '"App" <sip:15551234@localhost>' } },
      { cbProvisional: (res) => provisional.push(res.status) },
    );
    expect(provisional).toEqual([100, 180]);
    return { uac, uas: await answered };
  }

  async function ended(dialog: Srf.Dialog): Promise<void> {
    await new Promise<void>((resolve) => dialog.on('destroy', () => resolve()));
  }

  const destroy = (dialog: Srf.Dialog): Promise<void> =>
    new Promise((resolve, reject) =>
      dialog.destroy({ headers: {} }, (error) => (error === null ? resolve() : reject(error))),
    );

  it('a call is answered with both session descriptions, and the caller hangs up', async () => {
    const { uac, uas } = await call();
    expect([uac.remote.sdp, uas.remote.sdp]).toEqual([ANSWER, SDP]);
    expect(uas.req.get('x-custom')).toBe('abc');
    expect(uas.req.callingNumber).toBe('15551234');
    expect([uac.sip.localTag, uac.sip.remoteTag]).toEqual([uas.sip.remoteTag, uas.sip.localTag]);
    const end = ended(uas);
    await destroy(uac);
    await end;
  });

  it('the callee hangs up', async () => {
    const { uac, uas } = await call();
    const end = ended(uac);
    await destroy(uas);
    await end;
  });

  it('INFO and a changed session description pass in both directions', async () => {
    const { uac, uas } = await call();
    for (const [from, to] of [
      [uac, uas],
      [uas, uac],
    ] as const) {
      to.on('info', (req, res) => {
        seen.put(`INFO ${req.body}`);
        res.send(200);
      });
      const request = {
        method: 'INFO',
        headers: { 'Content-Type': 'application/dtmf-relay' },
        body: 'Signal=1\r\n',
      };
      const answer = await sendWith<Srf.SrfResponse>(from, request);
      expect(answer.status).toBe(200);
      await seen.take('Signal=1');
      await from.modify(CHANGED);
      expect(to.remote.sdp).toBe(CHANGED);
    }
    const end = ended(uas);
    await destroy(uac);
    await end;
  });

  it('a rejection reaches the caller with its status', async () => {
    callee.srf.invite((_req, res) => res.send(486));
    await Promise.all([connect(caller), connect(callee)]);
    await expect(caller.srf.createUAC(target, { localSdp: SDP })).rejects.toMatchObject({ status: 486 });
  });

  it('a call that rings is cancelled on both sides', async () => {
    callee.srf.invite((req, res) => {
      req.on('cancel', () => seen.put('cancelled'));
      res.send(180);
      seen.put('ringing');
    });
    await Promise.all([connect(caller), connect(callee)]);
    let invite: Srf.SrfRequest | undefined;
    const calling = caller.srf.createUAC(
      target,
      { localSdp: SDP },
      {
        cbRequest: (...given: unknown[]) => (invite = given[1] as Srf.SrfRequest),
        cbProvisional: () => invite?.cancel(() => undefined),
      },
    );
    await expect(calling).rejects.toMatchObject({ status: 487 });
    await seen.take('ringing');
    await seen.take('cancelled');
  });

  it('a challenge is answered with credentials', async () => {
    const answered = new Promise<Srf.Dialog>((resolve, reject) => {
      callee.srf.invite((req, res) => {
        if (!req.has('proxy-authorization')) {
          const challenge = 'Digest realm="carrier.example", nonce="abc", algorithm=MD5, qop="auth"';
          res.send(407, { headers: { 'Proxy-Authenticate': challenge } });
          return;
        }
        seen.put(req.get('proxy-authorization'));
        callee.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject);
      });
    });
    await Promise.all([connect(caller), connect(callee)]);
    const uac = await caller.srf.createUAC(target, { localSdp: SDP, auth: { username: 'u', password: 'p' } });
    expect(await seen.take('username="u"')).toContain('nc=00000001');
    const end = ended(await answered);
    await destroy(uac);
    await end;
  });

  it('OPTIONS gets a response', async () => {
    callee.srf.use('options', (_req, res) => res.send(200, { headers: { Allow: 'INVITE, BYE' } }));
    await Promise.all([connect(caller), connect(callee)]);
    const request = await sendWith<Srf.SrfRequest>(caller.srf, target, { method: 'OPTIONS' });
    const response = await new Promise<Srf.SrfResponse | undefined>((resolve) =>
      request.on('response', resolve),
    );
    expect([response?.status, response?.get('Allow')]).toEqual([200, 'INVITE, BYE']);
  });
});

describe('a connection over TLS', () => {
  it.each([
    ['whose certificate is not trusted', {}, '127.0.0.1', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'whose certificate has another name',
      { ca: TLS.ca },
      'sip.other.example',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
  ])('%s fails with a 503 that names the error', async (_, trust, host, code) => {
    const [carrier, own] = await Promise.all([
      startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, tls: TLS }),
      startSipGateway({
        secret: SECRET,
        sipPort: 0,
        controlPort: 0,
        tls: { key: TLS.key, cert: TLS.cert, port: 0, ...trust },
      }),
    ]);
    const srf = new Srf();
    srf.on('error', () => undefined);
    await connect({ srf, gateway: own });
    // The address is given, so that the name is not looked up.
    const proxy = `sip:${host}:${carrier.tlsPort};maddr=127.0.0.1;transport=tls`;
    const failed = srf.createUAC(`sip:bob@${host};transport=tls`, { localSdp: SDP, proxy });
    await expect(failed).rejects.toMatchObject({ status: 503 });
    const { res } = (await failed.catch((error: { res: Srf.SrfResponse }) => error)) as {
      res: Srf.SrfResponse;
    };
    expect(res.get('Warning')).toBe(`399 clarion "${code}"`);
    srf.disconnect();
    await Promise.all([carrier.close(), own.close()]);
  });
});
