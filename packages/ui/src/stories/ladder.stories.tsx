import { SipLadder } from '../ladder/index.ts';
import type { LadderEntry, LadderParticipant } from '../ladder/index.ts';
import { LONG, show, wide, type Story } from './support.tsx';

export default { title: 'Ladder', ...wide };

const START = Date.parse('2026-01-05T09:01:00.000Z');
const carrier = 'carrier:198.51.100.7';
const [ada, grace, boss] = ['agent:1', 'agent:2', 'monitor'];
const INVITE = `INVITE sip:+442079460000@acme-uk.sip.example.com SIP/2.0\r
Via: SIP/2.0/UDP 198.51.100.7:5060;branch=z9hG4bK74bf9\r
From: <sip:+447700900123@carrier.example>;tag=9fxced76sl\r
To: <sip:+442079460000@acme-uk.sip.example.com>\r
Call-ID: 3848276298220188511@carrier.example\r
CSeq: 1 INVITE\r
Content-Type: application/sdp\r
\r
v=0\r
a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:***\r
`;

const line = (
  offsetMs: number,
  kind: LadderEntry['kind'],
  from: string,
  to: string | null,
  summary: string,
  detail: string | null = null,
): LadderEntry => ({
  at: new Date(START + offsetMs).toISOString(),
  offsetMs,
  from,
  to,
  kind,
  summary,
  detail,
});

const participants: LadderParticipant[] = [
  { id: carrier, kind: 'CARRIER', label: '198.51.100.7' },
  { id: 'service', kind: 'SERVICE', label: 'Service' },
  { id: ada, kind: 'AGENT', label: 'Ada Lovelace' },
  { id: grace, kind: 'AGENT', label: 'Grace Hopper' },
  { id: boss, kind: 'SUPERVISOR', label: 'Annie Easley' },
];

const entries: LadderEntry[] = [
  line(0, 'SIP', carrier, 'service', 'INVITE sip:+442079460000@acme-uk.sip.example.com (with SDP)', INVITE),
  line(9, 'EVENT', 'service', null, 'Call created'),
  line(11, 'SIP', 'service', carrier, '180 Ringing (INVITE)', 'SIP/2.0 180 Ringing\r\n\r\n'),
  line(14, 'EVENT', 'service', ada, 'Offered'),
  line(2_204, 'EVENT', ada, 'service', 'Offer accepted'),
  line(2_231, 'SDP', ada, 'service', 'SDP offer', 'v=0\r\na=ice-pwd:***\r\n'),
  line(2_240, 'SDP', 'service', ada, 'SDP answer', 'v=0\r\na=fingerprint:***\r\n'),
  line(2_391, 'MEDIA', ada, null, 'ICE and DTLS connected, codec PCMA'),
  line(2_396, 'SIP', 'service', carrier, '200 OK (INVITE, with SDP)', 'SIP/2.0 200 OK\r\n\r\n'),
  line(
    2_431,
    'SIP',
    carrier,
    'service',
    'ACK sip:198.51.100.80:5060',
    'ACK sip:198.51.100.80:5060 SIP/2.0\r\n\r\n',
  ),
  line(2_451, 'MEDIA', carrier, null, 'First audio packet received'),
  line(2_456, 'MEDIA', carrier, null, 'Audio handed over to mediasoup, which sends the first packet'),
  line(31_100, 'EVENT', boss, 'service', 'Monitoring started (whisper)'),
  line(31_388, 'MEDIA', boss, null, 'ICE and DTLS connected, codec PCMA'),
  line(44_050, 'EVENT', ada, 'service', 'Transfer started (to Grace Hopper)'),
  line(45_800, 'MEDIA', grace, null, 'ICE and DTLS connected, codec PCMA'),
  line(45_810, 'EVENT', 'service', grace, 'Call transferred'),
  line(
    92_300,
    'SIP',
    carrier,
    'service',
    'BYE sip:198.51.100.80:5060',
    'BYE sip:198.51.100.80:5060 SIP/2.0\r\n\r\n',
  ),
  line(92_302, 'SIP', 'service', carrier, '200 OK (BYE)', 'SIP/2.0 200 OK\r\n\r\n'),
  line(92_310, 'MEDIA', carrier, null, 'Received 4492 packets, 3 lost (0.1 %), jitter 4 ms, no SSRC change'),
  line(92_311, 'EVENT', 'service', null, 'Call ended (completed)'),
];

export const Transferred: Story = show(() => <SipLadder participants={participants} entries={entries} />);

export const Failed: Story = show(() => (
  <SipLadder
    truncated
    participants={[
      { id: 'service', kind: 'SERVICE', label: 'Service' },
      { id: 'carrier:192.0.2.1', kind: 'CARRIER', label: '192.0.2.1' },
      { id: 'carrier:192.0.2.2', kind: 'CARRIER', label: LONG },
    ]}
    entries={[
      line(0, 'SIP', 'service', 'carrier:192.0.2.1', `INVITE sip:${LONG}@192.0.2.1`, INVITE),
      line(20, 'SIP', 'carrier:192.0.2.1', 'service', '503 Service Unavailable (INVITE)', 'SIP/2.0 503\r\n'),
      line(25, 'SIP', 'service', 'carrier:192.0.2.2', 'INVITE sip:+442079460000@192.0.2.2', INVITE),
      line(80, 'SIP', 'carrier:192.0.2.2', 'service', '486 Busy Here (INVITE)', 'SIP/2.0 486\r\n'),
      line(82, 'MEDIA', 'carrier:192.0.2.2', null, 'Leg ended: Busy Here (busy)'),
    ]}
  />
));

export const WhatsApp: Story = show(() => (
  <SipLadder
    participants={[
      { id: 'meta', kind: 'META', label: 'Meta' },
      { id: 'service', kind: 'SERVICE', label: 'Service' },
      { id: ada, kind: 'AGENT', label: 'Ada Lovelace' },
    ]}
    entries={[
      line(0, 'WEBHOOK', 'meta', 'service', 'Webhook: connect', '{ "event": "connect" }'),
      line(120, 'GRAPH', 'service', 'meta', 'POST calls: preAccept', 'POST /v23.0/1/calls'),
      line(410, 'GRAPH', 'meta', 'service', '200 (preAccept)', ''),
      line(900, 'MEDIA', 'meta', null, 'Audio connected, codec OPUS'),
      line(2_000, 'EVENT', ada, 'service', 'Offer accepted'),
    ]}
  />
));
