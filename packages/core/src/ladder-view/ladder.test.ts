import type { LadderEntry, LadderPart } from '@clarion/protocol/ladder';
import { callLadder } from '@clarion/protocol/v1/call/ladder';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLadder, presentLadder } from './build-ladder.ts';
import type { LadderSource } from './build-ladder.ts';
import { ladderPcap } from './ladder-pcap.ts';
import { ladderText } from './ladder-text.ts';

const START = new Date('2026-01-05T09:00:00.000Z');
const INVITE =
  'INVITE sip:+442079460000@ingress.example SIP/2.0\r\nVia: SIP/2.0/UDP 198.51.100.7:5060;branch=z\r\nCSeq: 1 INVITE\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n';
const OK = 'SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\nContact: <sip:203.0.113.5:5062>\r\n\r\n';

const sip = (ms: number, text: string, sent: boolean, address = '198.51.100.7'): LadderEntry => ({
  kind: 'sip',
  ms,
  leg: 0,
  text,
  sent,
  transport: 'udp',
  address,
  port: 5060,
});

const part: LadderPart = {
  version: 1,
  legs: [
    { id: 'customer', kind: 'carrier-in', omitted: 0 },
    { id: 'ada', kind: 'agent', agentId: 7, omitted: 0 },
    { id: 'boss', kind: 'monitor', omitted: 0 },
  ],
  entries: [
    sip(0, INVITE, false),
    { kind: 'sdp', ms: 20, leg: 1, sent: false, type: 'offer', text: 'v=0\r\n' },
    sip(40, OK, true),
    { kind: 'media', ms: 60, leg: 0, what: 'first-packet-received' },
    { kind: 'media', ms: 80, leg: 2, what: 'connected', data: { codec: 'PCMA' } },
  ],
};
const source: LadderSource = {
  parts: [{ startedAt: START, part }],
  webhooks: [],
  events: [
    { type: 'OFFERED', at: new Date(START.getTime() + 10), agentId: 7, metadata: {} },
    {
      type: 'ENDED',
      at: new Date(START.getTime() + 90),
      agentId: null,
      metadata: { terminationReason: 'COMPLETED' },
    },
  ],
  agents: new Map([[7, 'Ada']]),
  supervisors: new Map([['boss', 'Grace']]),
};

describe('the lines of a ladder', () => {
  it('shows all legs and the lifecycle log on one axis of time, one lane per party', () => {
    const ladder = presentLadder(buildLadder(source));
    expect(callLadder.parse({ callId: 1, ...ladder })).toBeTruthy();
    expect(ladder.participants.map(({ kind, label }) => [kind, label])).toEqual([
      ['CARRIER', '198.51.100.7'],
      ['SERVICE', 'Service'],
      ['AGENT', 'Ada'],
      ['SUPERVISOR', 'Grace'],
    ]);
    expect(ladder.entries.map(({ offsetMs, from, to, summary }) => [offsetMs, from, to, summary])).toEqual([
      [0, 'carrier:198.51.100.7', 'service', 'INVITE sip:+442079460000@ingress.example (with SDP)'],
      [10, 'service', 'agent:7', 'Offered'],
      [20, 'agent:7', 'service', 'SDP offer'],
      [40, 'service', 'carrier:198.51.100.7', '200 OK (INVITE)'],
      [60, 'carrier:198.51.100.7', null, 'First audio packet received'],
      [80, 'supervisor:Grace', null, 'ICE and DTLS connected, codec PCMA'],
      [90, 'service', null, 'Call ended (completed)'],
    ]);
    expect(ladder.truncated).toBe(false);
  });

  it('shows what a supervisor did in the lane of their leg, whether an agent or a dashboard user', () => {
    const at = new Date(START.getTime() + 70);
    const events = [
      { type: 'MONITOR_STARTED', at, agentId: 9, metadata: { name: 'grace', mode: 'WHISPER' } },
      { type: 'MONITOR_STOPPED', at, agentId: null, metadata: { name: 'Grace', reason: 'LEFT' } },
    ];
    const agents = new Map([...source.agents, [9, 'Grace']]);
    const { participants, lines } = buildLadder({ ...source, events, agents });
    expect(participants.map(({ label }) => label)).toEqual(['198.51.100.7', 'Service', 'Ada', 'Grace']);
    expect(lines.filter(({ kind }) => kind === 'EVENT').map(({ from, summary }) => [from, summary])).toEqual([
      ['supervisor:Grace', 'Monitoring started (whisper)'],
      ['supervisor:Grace', 'Monitoring stopped (left)'],
    ]);
  });

  it('shows an entry of the log after the message of the same millisecond that caused it', () => {
    const entries = [sip(0, INVITE, false), sip(40.6, OK, true)];
    const events = [{ type: 'ANSWERED', at: new Date(START.getTime() + 40), agentId: null, metadata: {} }];
    const ladder = buildLadder({
      ...source,
      parts: [{ startedAt: START, part: { ...part, entries } }],
      events,
    });
    const lines = presentLadder(ladder).entries;
    expect(lines.map(({ offsetMs, kind }) => [offsetMs, kind])).toEqual([
      [0, 'SIP'],
      [40.6, 'SIP'],
      [40.6, 'EVENT'],
    ]);
  });

  it('gives each address that was tried a lane', () => {
    const tried = {
      ...part,
      entries: [sip(0, INVITE, true, '192.0.2.1'), sip(5, INVITE, true, '192.0.2.2')],
    };
    const { participants } = buildLadder({
      ...source,
      parts: [{ startedAt: START, part: tried }],
      events: [],
    });
    expect(participants.filter(({ kind }) => kind === 'CARRIER').map(({ label }) => label)).toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ]);
  });

  it('says if messages were left out or cut off', () => {
    const [leg] = part.legs;
    if (!leg) throw new Error('no leg');
    const omitted = { ...part, legs: [{ ...leg, omitted: 3 }, ...part.legs.slice(1)] };
    expect(buildLadder({ ...source, parts: [{ startedAt: START, part: omitted }] }).truncated).toBe(true);
    const cut = { ...part, entries: [{ ...sip(0, INVITE, false), cut: 5 } as LadderEntry] };
    const ladder = buildLadder({ ...source, parts: [{ startedAt: START, part: cut }] });
    expect(ladder.truncated).toBe(true);
    expect(ladder.lines[0]?.detail).toContain('[5 more characters]');
  });

  it('accepts a part with an unknown kind of moment, from a later version', () => {
    const later = { ...part, entries: [{ kind: 'media', ms: 0, leg: 0, what: 'teleported' } as LadderEntry] };
    const { lines } = buildLadder({ ...source, parts: [{ startedAt: START, part: later }], events: [] });
    expect(lines[0]?.summary).toBe('teleported');
  });
});

describe('as text', () => {
  it('draws lanes, arrows and relative times, and appends the messages', () => {
    const text = ladderText('SIP ladder of call 1', buildLadder(source));
    const rows = text.split('\n');
    expect(rows[0]).toBe('SIP ladder of call 1');
    const invite = rows.find((row) => row.includes('+0.000  ')) ?? '';
    expect(invite).toMatch(/\|-+ INVITE sip:.*-*>\|/);
    expect(rows.find((row) => row.includes('+0.040'))).toMatch(/\|<-? ?200 OK \(INVITE\) -+\|/);
    expect(text).toContain('--- 1. +0.000 carrier:198.51.100.7 -> service: INVITE');
  });

  it('contains no control character of a hostile message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (hostile) => {
        const entries = [sip(0, `INVITE ${hostile} SIP/2.0\r\n\r\n`, false)];
        const ladder = buildLadder({
          ...source,
          parts: [{ startedAt: START, part: { ...part, entries } }],
          events: [],
        });
        const diagram = ladderText('t', ladder).split('--- 1.')[0] ?? '';
        // oxlint-disable-next-line no-control-regex
        expect(diagram).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

/** An independent reader of classic pcap files with IPv4 and UDP. */
function readPcap(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  expect(view.getUint32(0)).toBe(0xa1b2c3d4);
  expect(view.getUint32(20)).toBe(101);
  const packets = [];
  for (let at = 24; at < bytes.length;) {
    const length = view.getUint32(at + 8);
    expect(view.getUint32(at + 12)).toBe(length);
    const ip = at + 16;
    expect(view.getUint8(ip)).toBe(0x45);
    expect(view.getUint16(ip + 2)).toBe(length);
    let sum = 0;
    for (let word = 0; word < 20; word += 2) sum += view.getUint16(ip + word);
    expect(((sum & 0xffff) + (sum >>> 16)) % 0xffff, 'header checksum').toBe(0);
    expect(view.getUint16(ip + 24)).toBe(length - 20);
    const address = (from: number) => [...bytes.subarray(from, from + 4)].join('.');
    packets.push({
      atMs: view.getUint32(at) * 1_000 + view.getUint32(at + 4) / 1_000,
      source: `${address(ip + 12)}:${view.getUint16(ip + 20)}`,
      target: `${address(ip + 16)}:${view.getUint16(ip + 22)}`,
      text: new TextDecoder().decode(bytes.subarray(ip + 28, ip + length)),
    });
    at = ip + length;
  }
  return packets;
}

describe('as a packet capture', () => {
  it('contains each SIP message with its time and the real addresses', () => {
    expect(readPcap(ladderPcap(buildLadder(source)))).toEqual([
      { atMs: START.getTime(), source: '198.51.100.7:5060', target: '203.0.113.5:5062', text: INVITE },
      { atMs: START.getTime() + 40, source: '203.0.113.5:5062', target: '198.51.100.7:5060', text: OK },
    ]);
  });

  it('is valid for any message, address and time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant(''), fc.string({ maxLength: 12 })),
        fc.double({ min: 0, max: 10_000_000, noNaN: true }),
        fc.boolean(),
        (text, address, ms, sent) => {
          const entries = [sip(ms, text.toWellFormed(), sent, address)];
          const parts = [{ startedAt: START, part: { ...part, entries } }];
          const [packet] = readPcap(ladderPcap(buildLadder({ ...source, parts, events: [] })));
          expect(packet?.text).toBe(new TextDecoder().decode(new TextEncoder().encode(text.toWellFormed())));
          expect(Math.abs((packet?.atMs ?? 0) - START.getTime() - ms)).toBeLessThan(1.001);
        },
      ),
    );
  });
});
