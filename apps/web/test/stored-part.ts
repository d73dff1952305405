/** Parts of SIP ladders as media sends them. */
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { CallPart } from '@clarion/core/ladder/store-ladders';
import { ladderPart } from '@clarion/protocol/ladder';

export const INVITE =
  'INVITE sip:+442079460123@carrier.example SIP/2.0\r\nVia: SIP/2.0/UDP 203.0.113.5:5060;branch=z\r\nCSeq: 1 INVITE\r\n\r\n';

const part = ladderPart.parse({
  version: 1,
  legs: [{ id: 'customer', kind: 'carrier-out', omitted: 0 }],
  entries: [
    {
      kind: 'sip',
      ms: 0,
      leg: 0,
      text: INVITE,
      sent: true,
      transport: 'udp',
      address: '198.51.100.7',
      port: 5060,
    },
    { kind: 'media', ms: 1_500, leg: 0, what: 'first-packet-received' },
  ],
});

export const storedPart = (): Buffer<ArrayBuffer> => deflateRawSync(JSON.stringify(part));

export const callPart = (callId: number, startedAt = new Date()): CallPart => ({
  ladderId: randomUUID(),
  callId,
  startedAt,
  data: storedPart().toString('base64'),
});
