import Srf from 'drachtio-srf';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { expect, it, vi } from 'vitest';
import { startSipGateway } from '../src/index.ts';
import { selfSigned } from '../src/transport/self-signed.ts';

const SDP =
  'v=0\r\no=t 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n';
const HOST = 'sip.carrier.example';
const HOUR_MS = 3_600_000;

it('a request in a dialog reaches a carrier that has closed its connection, although its Contact is an address', async () => {
  const certificate = selfSigned([HOST], new Date(), new Date(Date.now() + HOUR_MS));
  const gateway = await startSipGateway({
    secret: 's',
    sipPort: 0,
    controlPort: 0,
    tls: { ...certificate, ca: certificate.cert, port: 0 },
    resolver: { srv: () => Promise.resolve([]), addresses: () => Promise.resolve(['127.0.0.1']) },
  });
  const phone = await SipPhone.open({ transport: 'tls', certificate, laws: ['PCMU'] });
  const app = new Srf();
  try {
    app.on('error', () => undefined);
    await new Promise<void>((resolve, reject) => {
      app.on('connect', (error) => (error instanceof Error ? reject(error) : resolve()));
      void app.connect({ host: '127.0.0.1', port: gateway.controlPort, secret: 's' });
    });
    const dialog = await app.createUAC(`sip:bob@${HOST}:${phone.port};transport=tls`, { localSdp: SDP });
    await vi.waitFor(() => expect(phone.calls[0]?.log).toContain('ACK'));
    phone.disconnect();
    await vi.waitFor(() => expect(phone.connections).toBe(0));
    await new Promise((resolve) => dialog.destroy({ headers: {} }, resolve));
    expect(await phone.calls[0]?.ended()).toMatchObject({ how: 'bye-received' });
  } finally {
    app.disconnect();
    phone.close();
    await gateway.close();
  }
});
