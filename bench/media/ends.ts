/**
 * The two ends of measured calls, in a separate process so that its CPU is counted separately: a carrier's RTP (with or without SIP) and
 * browsers' ICE, DTLS and SRTP. It runs its parent's requests (`EndsRequest`) and replies to each with the same ID.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { encode, FRAME_SAMPLES } from '@clarion/test-phone/rtp/g711';
import { RtpPort, type RtpStream } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { phoneSdp, readSdp } from '@clarion/test-phone/sip/sdp';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { Probe, type Direction } from '../calls/probe.ts';
import { measureRoomAudio, type RoomAudio } from './room-audio.ts';

export interface Audio {
  toAgent: Direction;
  toCaller: Direction;
}

export type EndsRequest =
  /** A browser's offer, from `bind` instead of loopback; `leg` identifies a browser if a call has several. → its SDP */
  | { ask: 'offer'; call: number; leg: number; bind?: string }
  | { ask: 'accept'; call: number; leg: number; sdp: string }
  /** A SIP call; the reply follows when it rings. */
  | { ask: 'dial'; call: number; number: string; sip: { host: string; port: number } }
  | { ask: 'answered'; call: number }
  /** A bare RTP port instead of a SIP call. → its SDP */
  | { ask: 'port'; call: number }
  | { ask: 'remote'; call: number; sdp: string }
  /** Audio both ways between the carrier's end and the first browser of every call, measured after `settleMs`. → Audio */
  | { ask: 'measure'; settleMs: number; forMs: number }
  /** Every end of every call sends its own tone for this long and should hear all others of its call. → RoomAudio */
  | { ask: 'talk'; settleMs: number; forMs: number }
  | { ask: 'close' };

export type EndsReply = string | Audio | RoomAudio | null;

const TIMEOUT_MS = 15_000;
/** For packets in transit at the end of a measurement. */
const DRAIN_MS = 100;
const LAW = 'PCMA';
const SILENCE = encode(LAW, new Int16Array(FRAME_SAMPLES));
/** Between measurements: a side that sends nothing for half a minute is considered disconnected. */
const KEEP_ALIVE_FRAMES = 250;

const ports = new Map<number, RtpPort>();
const calls = new Map<number, SipCall>();
const legs = new Map<string, WebRtcLeg>();
let phone: SipPhone | null = null;

function legOf(call: number, leg: number): WebRtcLeg {
  const found = legs.get(`${call}.${leg}`);
  if (!found) throw new Error(`there is no browser ${leg} in call ${call}`);
  return found;
}

async function dial(call: number, number: string, sip: { host: string; port: number }): Promise<void> {
  phone ??= await SipPhone.open({ laws: [LAW] });
  const placed = await phone.call(number, sip, { from: `4416329${String(call).padStart(5, '0')}` });
  calls.set(call, placed);
  await placed.rings();
}

async function answered(call: number): Promise<void> {
  const placed = calls.get(call);
  if (!placed) throw new Error(`there is no call ${call}`);
  await placed.answered(TIMEOUT_MS);
  ports.set(call, placed.audio);
  keepAlive(placed.audio);
}

async function measure(settleMs: number, forMs: number): Promise<Audio> {
  const toAgent = new Probe(1);
  const toCaller = new Probe(2);
  let index = 0;
  for (const [call, port] of ports) {
    const leg = legOf(call, 0);
    toAgent.attach(index, port, leg);
    toCaller.attach(index, leg, port);
    index += 1;
  }
  await sleep(settleMs);
  toAgent.begin();
  toCaller.begin();
  await sleep(forMs);
  const audio = { toAgent: toAgent.end(), toCaller: toCaller.end() };
  if (audio.toAgent.received === 0 || audio.toCaller.received === 0) throw new Error('no audio was received');
  await sendSilence();
  return audio;
}

/** The ends of each call, its carrier's first. */
const rooms = (): RtpStream[][] =>
  [...ports].map(([call, port]) => [
    port,
    ...[...legs].filter(([id]) => id.startsWith(`${call}.`)).map(([, leg]) => leg),
  ]);

/** The first packet is sent immediately, because the source address is learned from it. */
function keepAlive(end: RtpStream): void {
  let frame = 0;
  end.onPacket = null;
  end.keep = false;
  end.sendFrom(() => (frame++ % KEEP_ALIVE_FRAMES === 0 ? SILENCE : null));
}

async function sendSilence(): Promise<void> {
  const all: RtpStream[] = [...ports.values(), ...legs.values()];
  all.forEach(keepAlive);
  await sleep(DRAIN_MS);
}

async function answer(request: EndsRequest): Promise<EndsReply> {
  switch (request.ask) {
    case 'offer': {
      const leg = new WebRtcLeg(LAW, [LAW], request.bind);
      legs.get(`${request.call}.${request.leg}`)?.close();
      legs.set(`${request.call}.${request.leg}`, leg);
      return leg.offer();
    }
    case 'accept':
      await legOf(request.call, request.leg).accept(request.sdp);
      keepAlive(legOf(request.call, request.leg));
      return null;
    case 'dial':
      await dial(request.call, request.number, request.sip);
      return null;
    case 'answered':
      await answered(request.call);
      return null;
    case 'port': {
      ports.get(request.call)?.close();
      const port = await RtpPort.open({ law: LAW });
      ports.set(request.call, port);
      return phoneSdp(port, [LAW]);
    }
    case 'remote': {
      const port = ports.get(request.call);
      if (port) {
        port.remote = readSdp(request.sdp, [LAW]);
        keepAlive(port);
      }
      return null;
    }
    case 'measure':
      return measure(request.settleMs, request.forMs);
    case 'talk': {
      const spoken = await measureRoomAudio(rooms(), request.settleMs, request.forMs);
      await sendSilence();
      return spoken;
    }
    case 'close':
      await Promise.all([...calls.values()].map((call) => call.hangUp().catch(() => undefined)));
      legs.forEach((leg) => leg.close());
      phone?.close();
      return null;
  }
}

process.on('message', ({ id, request }: { id: number; request: EndsRequest }) => {
  answer(request).then(
    (reply) => {
      process.send?.({ id, reply });
      if (request.ask === 'close') setTimeout(() => process.exit(0), DRAIN_MS);
    },
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit(1));
