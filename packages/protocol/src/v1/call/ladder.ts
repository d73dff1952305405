/** The SIP ladder of a call: what its parties sent to one another, in the order of time. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, lowercaseEnum, orDefault, timestamp } from '../fields/fields.ts';

export const ladderFormats = ['json', 'text', 'pcap'] as const;
export type LadderFormat = (typeof ladderFormats)[number];

export const TEXT = 'text/plain';
/** Registered for files of libpcap. */
export const PCAP = 'application/vnd.tcpdump.pcap';

export const ladderQuery = z.object({
  format: orDefault(lowercaseEnum(ladderFormats), 'json').describe(
    '`text`: a diagram to read. `pcap`: the SIP messages as a packet capture.',
  ),
});

export const ladderParticipantKinds = ['CARRIER', 'SERVICE', 'AGENT', 'SUPERVISOR', 'META'] as const;
export type LadderParticipantKind = (typeof ladderParticipantKinds)[number];
export const ladderEntryKinds = ['SIP', 'SDP', 'GRAPH', 'WEBHOOK', 'MEDIA', 'EVENT'] as const;
export type LadderEntryKind = (typeof ladderEntryKinds)[number];

const participant = z.strictObject({
  id: z.string().describe('The ID of the party within this ladder.'),
  kind: z
    .enum(ladderParticipantKinds)
    .describe('The kind of the party. Each address of a carrier is a party of its own.'),
  label: z.string().describe('The name of the party: the address of a carrier, the name of an agent.'),
});
const entry = z.strictObject({
  at: timestamp.describe('When it happened.'),
  offsetMs: z.number().describe('Milliseconds since the first entry.'),
  from: z.string().describe('The ID of the party that acts.'),
  to: z
    .string()
    .nullable()
    .describe('The ID of the party that receives it; null if it concerns `from` alone.'),
  kind: z
    .enum(ladderEntryKinds)
    .describe(
      'SIP, SDP, GRAPH and WEBHOOK: a message. MEDIA: what happened to the audio. EVENT: an entry of the lifecycle log.',
    ),
  summary: z.string().describe('One line about it.'),
  detail: z
    .string()
    .nullable()
    .describe(
      'The message, with credentials, keys, digits and withheld numbers masked; null if there is none.',
    ),
});
const shape = {
  participants: z.array(participant).describe('The parties, from the carrier to the supervisors.'),
  entries: z.array(entry).describe('What happened, oldest first.'),
  truncated: z
    .boolean()
    .describe('Whether messages were cut off or left out, because a leg had too many or too long ones.'),
};
export const callLadder = z.strictObject({ callId: id, ...shape }).meta({ id: 'CallLadder' });
export type CallLadderResource = z.infer<typeof callLadder>;
export const refusalLadder = z
  .strictObject({ refusalId: id.describe('The ID of the refused call.'), ...shape })
  .meta({ id: 'RefusalLadder' });
export type RefusalLadderResource = z.infer<typeof refusalLadder>;
export type LadderResource = Omit<CallLadderResource, 'callId'>;

const example = {
  participants: [
    { id: 'carrier', kind: 'CARRIER', label: '192.0.2.10' },
    { id: 'service', kind: 'SERVICE', label: 'Service' },
  ],
  entries: [
    {
      at: '2026-01-05T09:01:00.000Z',
      offsetMs: 0,
      from: 'carrier',
      to: 'service',
      kind: 'SIP',
      summary: 'INVITE sip:+442079460000@ingress.example.com (with SDP)',
      detail: 'INVITE sip:+442079460000@ingress.example.com SIP/2.0\r\nCall-ID: 9f0c\r\n\r\n',
    },
  ],
  truncated: false,
};

export const ladderEndpoints = {
  getCallLadder: defineEndpoint({
    method: 'GET',
    path: '/v1/calls/{callId}/ladder',
    summary:
      'Returns the SIP ladder of an ended call: the messages of all its legs with the events of its audio, in the order of time. `format=text` returns a diagram to read, `format=pcap` the SIP messages as a packet capture. Returns 404 until the ladder is stored, shortly after the end of the call, and after seven days.',
    query: ladderQuery,
    answer: { status: 200, body: z.strictObject({ ladder: callLadder }), file: [TEXT, PCAP] },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { callId: 4711 },
      query: 'format=json',
      answer: { ladder: { callId: 4711, ...example } },
    },
  }),
  getRefusalLadder: defineEndpoint({
    method: 'GET',
    path: '/v1/sip-trunks/{trunkId}/refusals/{refusalId}/ladder',
    summary:
      'Returns the SIP ladder of a refused INVITE of one of your own trunks. The newest 50 refusals of a trunk have one.',
    query: ladderQuery,
    answer: { status: 200, body: z.strictObject({ ladder: refusalLadder }), file: [TEXT, PCAP] },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: false,
    example: {
      path: { trunkId: 1, refusalId: 77 },
      query: 'format=json',
      answer: { ladder: { refusalId: 77, ...example } },
    },
  }),
};
