/**
 * Runs one carrier behaviour, a row of a table, as a real call with a tone at each end, in a separate tenant. Checks the requirements of
 * every row: audio within a second of the last agreed description, exactly one end, and no remaining state.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, PhoneOptions } from '@clarion/test-phone/sip/phone';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CallView } from '@clarion/protocol/call';
import { countOf } from '@clarion/test-phone/carrier/dialog';
import { hears, hearsNothing, type Listening } from '@clarion/test-phone/carrier/hearing';
import { endLiveCalls } from '@clarion/testkit/stack/call-centre';
import type { CallOptions } from '@clarion/test-phone/sip/phone';
import type { Wire } from '@clarion/test-phone/sip/wire';
import { PhoneScene } from '../outcomes/phone-scene.ts';
import { expectRow, type Happened, type Row } from '../outcomes/scene.ts';

/** "Audio flows within one second of the last description both sides agreed on." */
export const AUDIO_WITHIN_MS = 1_000;
/** Limit for the first audio after the answer, which includes the agent's ICE and DTLS. */
const FIRST_AUDIO_WITHIN_MS = 3_000;
const SILENT_FOR_MS = 500;
/** Time for packets that were in flight when the audio was turned off. */
const SETTLE_MS = 300;
/** The media node learns of the end of a call shortly afterwards; its port is then silent. */
const PORT_SILENT_AFTER_MS = 600;
const GONE = 481;

export type Audio = 'both' | 'none' | 'to-agent' | 'to-carrier';

export interface Ringing {
  scene: PhoneScene;
  ada: ScriptedAgent;
  far: SipCall;
  callId: number;
  carrierHz: number;
  agentHz: number;
  how: Listening;
}

export interface Talk extends Ringing {
  /** The agent's end of the audio. */
  leg: WebRtcLeg;
}

/** The row responds to our INVITE itself, in `ringing`. */
export const SCRIPTED: Behaviour = { do: 'script', play: () => undefined };

interface Common {
  behaviour: string;
  /** The RFC sections that allow it. */
  cites: string;
}

/** An inbound or outbound conversation during which the carrier does something. */
export interface TalkRow extends Common {
  way: 'in' | 'out';
  /** How the carrier responds to our INVITE (out). Default: it rings and answers. */
  answer?: Behaviour;
  /** The carrier's INVITE (in). */
  invite?: CallOptions;
  phone?: PhoneOptions;
  /** The network for the carrier's messages, from its INVITE on (in). */
  wire?: Wire;
  /** Runs before the answer: while the caller's phone rings (in), or to send the carrier's responses (out). */
  ringing?: (talk: Ringing) => Promise<void> | void;
  /** Establishes the conversation in another way than by a personal line or an intent. */
  reach?: (scene: PhoneScene) => Promise<Talk>;
  /** Starts the carrier's audio after the answer. Default: the tone in packets of 20 ms. */
  voice?: (talk: Talk) => void;
  /** What the carrier does in the conversation. When it resolves, the carrier's last description has been agreed. */
  talk?: (talk: Talk) => Promise<void>;
  /** Which ends hear the other one after `talk`. Default: both. */
  audio?: Audio;
  how?: Listening;
  /** Whether the audio is checked before `talk` as well. Default: if there is a `talk`. */
  listensFirst?: boolean;
  /** Who hangs up. Default: the carrier. */
  hangUp?: 'carrier' | 'agent' | ((talk: Talk) => Promise<void>);
  /** The expected end; if there are several, any of them. */
  ends?: Row['ends'] | Row['ends'][];
}

/** A call that does not become a conversation. */
export interface WholeRow extends Common {
  way: 'whole';
  phone?: PhoneOptions;
  run: (scene: PhoneScene) => Promise<Happened<SipCall>>;
  ends: Row['ends'];
}

/** An INVITE that does not create a call. */
export interface RefusedRow extends Common {
  way: 'refused';
  invite: CallOptions;
  status: number;
}

export type CarrierRow = TalkRow | WholeRow | RefusedRow;

/** Tones of a row: concurrent rows have different ones, so that another call's audio is not mistaken for ours. */
let taken = 0;
export const tones = () => {
  const at = taken++ % 16;
  return { carrierHz: 400 + 25 * at, agentHz: 1_000 + 40 * at };
};

export async function playRow(t: TestStack, row: CarrierRow): Promise<void> {
  const scene = await PhoneScene.open(t, row.way === 'refused' ? {} : row.phone);
  try {
    await play(scene, row);
  } catch (error) {
    await endLiveCalls(t, scene.tenant);
    throw error;
  }
}

async function play(scene: PhoneScene, row: CarrierRow): Promise<void> {
  if (row.way === 'refused') return playRefused(scene, row);
  if (row.way === 'whole') {
    const happened = await row.run(scene);
    await expectRow(scene, row, happened);
    if (happened.far) await expectNothingLeft(happened.far);
    return;
  }
  const talk = await reach(scene, row);
  await converse(talk, row);
  await end(talk, row);
}

async function playRefused(scene: PhoneScene, row: RefusedRow): Promise<void> {
  await scene.agent('ada');
  const far = await scene.dialIn(await scene.personal('ada'), row.invite);
  const { how, status } = await far.ended();
  assert.deepEqual([how, status], ['refused', row.status]);
  const { calls } = await scene.t.v1.ok<{ calls: object[] }>('GET', scene.at('/calls'));
  assert.deepEqual(calls, [], 'a rejected INVITE created a call');
}

function reach(scene: PhoneScene, row: TalkRow): Promise<Talk> {
  if (row.reach) return row.reach(scene);
  return row.way === 'in' ? callIn(scene, row) : callOut(scene, row);
}

export async function callIn(scene: PhoneScene, row: Partial<TalkRow> = {}): Promise<Talk> {
  const ada = await scene.agent('ada');
  scene.phone.wire = row.wire ?? null;
  const far = await scene.dialIn(await scene.personal('ada'), row.invite);
  const { callId } = await ada.incoming();
  const ringing = { scene, ada, far, callId, how: row.how ?? {}, ...tones() };
  await row.ringing?.(ringing);
  const leg = await ada.accept(callId);
  await far.answered();
  return { ...ringing, leg };
}

export async function callOut(scene: PhoneScene, row: Partial<TalkRow> = {}): Promise<Talk> {
  const talk = await dialOut(scene, row);
  await row.ringing?.(talk);
  await talk.far.answered();
  return talk;
}

/** Starts an outbound call: the carrier has the INVITE, and the agent has audio. */
export async function dialOut(scene: PhoneScene, row: Partial<TalkRow> = {}): Promise<Talk> {
  const ada = await scene.agent('ada', { shift: 'OFFLINE' });
  const { callId, taken } = await scene.intend(row.answer);
  const leg = await ada.start(callId);
  return { scene, ada, leg, far: await taken, callId, how: row.how ?? {}, ...tones() };
}

async function converse(talk: Talk, row: TalkRow): Promise<void> {
  const { far, leg, carrierHz, agentHz } = talk;
  if (row.voice) row.voice(talk);
  else far.audio.sendTone(carrierHz);
  leg.sendTone(agentHz);
  if (row.listensFirst ?? row.talk !== undefined) await expectAudio(talk, 'both', FIRST_AUDIO_WITHIN_MS);
  await row.talk?.(talk);
  await expectAudio(talk, row.audio ?? 'both', row.talk ? AUDIO_WITHIN_MS : FIRST_AUDIO_WITHIN_MS);
}

/** Asserts the audio from now on. */
export async function expectAudio(talk: Talk, audio: Audio, withinMs = AUDIO_WITHIN_MS): Promise<void> {
  const { far, leg, carrierHz, agentHz, how } = talk;
  const silent = { forMs: SILENT_FOR_MS, settleMs: SETTLE_MS, ...how };
  const toAgent = audio === 'both' || audio === 'to-agent';
  const toCarrier = audio === 'both' || audio === 'to-carrier';
  await Promise.all([
    toAgent
      ? hears(leg, carrierHz, { who: 'the agent', withinMs, ...how })
      : hearsNothing(leg, carrierHz, { who: 'the agent', ...silent }),
    toCarrier
      ? hears(far.audio, agentHz, { who: 'the carrier', withinMs, ...how })
      : hearsNothing(far.audio, agentHz, { who: 'the carrier', ...silent }),
  ]);
}

export const ENDS = {
  carrier: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true },
  agent: { reason: 'COMPLETED', by: 'AGENT', wire: ['bye-received', null], answered: true },
} as const satisfies Record<string, Row['ends']>;

async function end(talk: Talk, row: TalkRow): Promise<void> {
  const { scene, ada, far, callId } = talk;
  const by = row.hangUp ?? 'carrier';
  if (by === 'carrier') await far.hangUp();
  else if (by === 'agent') await ada.hangUp(callId);
  else await by(talk);
  const confirmedAt = performance.now();
  const ends = row.ends ?? (by === 'agent' ? ENDS.agent : ENDS.carrier);
  await expectRow(scene, { ends: await actualEnd(scene, [ends].flat()) }, { callId, far });
  await expectNothingLeft(far, confirmedAt);
}

/** The expected end that matches `terminatedBy` of the call. */
async function actualEnd(scene: PhoneScene, ends: Row['ends'][]): Promise<Row['ends']> {
  const [first] = ends;
  assert.ok(first);
  if (ends.length === 1) return first;
  const over = async () => {
    const { calls } = await scene.t.v1.ok<{ calls: CallView[] }>('GET', scene.at('/calls?limit=1'));
    return ends.find(({ by }) => by === calls[0]?.terminatedBy);
  };
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await over();
    if (found) return found;
    await sleep(50);
  }
  return first;
}

/**
 * The dialog no longer exists, at most one BYE was sent, and the media node's port is silent.
 *
 * @param confirmedAt when the end was confirmed: a BYE may be lost and sent again
 */
async function expectNothingLeft(
  far: SipCall,
  confirmedAt = far.times.ended ?? performance.now(),
): Promise<void> {
  assert.ok(countOf(far, 'BYE') <= 1, `${countOf(far, 'BYE')} BYEs`);
  const endedAt = Math.max(far.times.ended ?? 0, confirmedAt);
  await sleep(Math.max(0, endedAt + PORT_SILENT_AFTER_MS + SILENT_FOR_MS - performance.now()));
  const late = far.audio.heard.filter(({ at }) => at > endedAt + PORT_SILENT_AFTER_MS);
  assert.equal(late.length, 0, 'audio is still sent after the call ended');
  if (far.times.answered === undefined) return;
  const { status } = await far.options();
  assert.equal(status, GONE, 'the dialog still exists after its call ended');
}
