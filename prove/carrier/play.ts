/** One call with a random carrier, and the checks that must hold for each. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { TestStack } from '@clarion/testkit/stack/stack';
import {
  Fork,
  moveAudio,
  offerlessReinvite,
  reinvite,
  reliably,
  update,
} from '@clarion/test-phone/carrier/dialog';
import { disturb, losing, UnreliableWire } from '@clarion/test-phone/carrier/network';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { seeded } from '@clarion/test-phone/random';
import { endLiveCalls, isOf, lifeOf } from '@clarion/testkit/stack/call-centre';
import { header } from '@clarion/test-phone/sip/message';
import {
  AUDIO_WITHIN_MS,
  SCRIPTED,
  callIn,
  callOut,
  expectAudio,
  type Audio,
  type Talk,
} from '../../tests/e2e/carrier/talk.ts';
import { PhoneScene } from '../../tests/e2e/outcomes/phone-scene.ts';
import type { Plan, Progress, Step } from './plan.ts';

const TALK_WITHIN_MS = 20_000;
/** A lost ACK is sent again when our 200 is retransmitted. */
const ANSWERED_WITHIN_MS = 20_000;
/** With loss, BYE and its response are retransmitted for this long. */
const ENDS_WITHIN_MS = 20_000;
const PORT_SILENT_AFTER_MS = 600;
const LISTEN_MS = 300;
const REASONS = ['COMPLETED'];

interface State {
  talk: Talk;
  wire: UnreliableWire;
  audio: Audio;
}

export async function playPlan(t: TestStack, plan: Plan): Promise<void> {
  const scene = await PhoneScene.open(t);
  try {
    await converse(scene, plan);
  } catch (error) {
    await endLiveCalls(t, scene.tenant);
    throw error;
  } finally {
    scene.phone.close();
  }
}

async function converse(scene: PhoneScene, plan: Plan): Promise<void> {
  const wire = new UnreliableWire(seeded(plan.seed), plan.wire);
  // A separate generator, because the number of packets between two SIP messages differs from run to run.
  const packetLoss = losing(plan.audioLoss, seeded(~plan.seed));
  const how = { rough: plan.audioLoss > 0 };
  const talk =
    plan.way === 'in'
      ? await callIn(scene, { how, invite: { prepare: (call) => disturb(scene.phone, call.id, wire) } })
      : await callOut(scene, {
          how,
          answer: SCRIPTED,
          ringing: ({ far }) => {
            disturb(scene.t.carrier, far.id, wire);
            return progress(far, plan.progress);
          },
        });
  const state: State = { talk, wire, audio: 'both' };
  talk.far.audio.sendTone(talk.carrierHz);
  talk.leg.sendTone(talk.agentHz);
  await settled(state);
  if (plan.audioLoss > 0) talk.far.audio.network = packetLoss;
  for (const step of plan.steps) {
    await take(state, step);
    await settled(state);
  }
  await end(state, plan);
}

async function progress(far: SipCall, all: readonly Progress[]): Promise<void> {
  for (const each of all) await say(far, each);
  far.answerWith(carrierSdp(far, { sameVersion: true }));
}

async function say(far: SipCall, what: Progress): Promise<void> {
  const sdp = carrierSdp(far);
  switch (what) {
    case 'none':
      return;
    case '180':
      return far.progress(180, 'Ringing');
    case '183':
      return far.progress(183, 'Session Progress');
    case '183 with SDP':
      return far.progress(183, 'Session Progress', { sdp });
    case '180 then 183':
      far.progress(180, 'Ringing');
      return far.progress(183, 'Session Progress', { sdp });
    case 'two forks': {
      const other = await Fork.of(far);
      other.respond(183, 'Session Progress', other.sdp());
      return far.progress(183, 'Session Progress', { sdp });
    }
    case 'reliable 183':
      if (/100rel/.test(header(far.invite, 'supported')))
        await reliably(far, 183, 'Session Progress', 1, sdp);
      return;
  }
}

/** An SDP is agreed when its request has a 2xx. Any other response leaves the session unchanged (RFC 3261, section 14.1). */
async function take(state: State, step: Step): Promise<void> {
  const { talk } = state;
  const { far, carrierHz } = talk;
  switch (step.do) {
    case 'repeat':
      await agreed(reinvite(far, { sameVersion: true }));
      state.audio = 'both';
      return;
    case 'move': {
      const before = far.audio;
      await moveAudio(far, carrierHz);
      far.audio.network = before.network;
      const asked = {
        INVITE: () => reinvite(far),
        UPDATE: () => update(far, {}),
        ACK: () => offerlessReinvite(far),
      };
      if (await agreed(asked[step.by]())) state.audio = 'both';
      else {
        far.audio.silence();
        far.audio = before;
      }
      if (far.audio !== before) before.silence();
      return;
    }
    case 'hold': {
      const asked = step.by === 'INVITE' ? reinvite : update;
      const { direction } = step;
      if (!(await agreed(asked(far, { direction })))) return;
      if (direction !== 'sendonly') far.audio.silence();
      state.audio = ({ inactive: 'none', sendonly: 'to-agent', recvonly: 'to-carrier' } as const)[direction];
      await settled(state);
      far.audio.sendTone(carrierHz);
      if (await agreed(asked(far, {}))) state.audio = 'both';
      return;
    }
    case 'offerless':
      if (await agreed(offerlessReinvite(far))) state.audio = 'both';
      return;
    case 'twice': {
      const both = await Promise.all([agreed(reinvite(far)), agreed(reinvite(far))]);
      if (both.includes(true)) state.audio = 'both';
      return;
    }
    case 'refusable': {
      const before = { formats: [18], lines: ['a=rtpmap:18 G729/8000'] };
      const refused = await reinvite(far, { laws: [], eventType: null, before });
      assert.ok(refused.status >= 400, `an offer without a codec of ours was answered ${refused.status}`);
      return;
    }
    case 'ssrc':
      return far.audio.changeSsrc();
    case 'law':
      far.audio.law = far.audio.law === 'PCMA' ? 'PCMU' : 'PCMA';
      return;
    case 'info':
      await far.sendInfo('Signal=5\r\nDuration=160\r\n');
      return;
    case 'options':
      assert.equal((await far.options()).status, 200);
      return;
  }
}

const BUSY = [491, 500];
async function agreed(answer: Promise<{ status: number }>): Promise<boolean> {
  const { status } = await answer;
  assert.ok(status < 300 || BUSY.includes(status), `an SDP was answered ${status}`);
  return status < 300;
}

/**
 * Expects audio as agreed within a second of the last delivered message. Until then, and until a lost ACK is sent again, it may be missing.
 */
async function settled({ talk, wire, audio }: State): Promise<void> {
  const giveUpAt = performance.now() + TALK_WITHIN_MS;
  for (;;) {
    const since = performance.now();
    try {
      return await expectAudio(talk, audio, AUDIO_WITHIN_MS);
    } catch (error) {
      const isComplete = wire.lastAt <= since && wire.repeatedBy < performance.now();
      if (isComplete || performance.now() > giveUpAt) throw error;
    }
  }
}

async function end({ talk, wire }: State, plan: Plan): Promise<void> {
  const { scene, ada, far, callId } = talk;
  const ignored = () => undefined; // the call may have ended by then
  // Audio flows after our 200, but the call is answered with the ACK, which may be lost. If it is terminated before that, it is CANCELLED.
  await scene.t.webhooks.waitFor(isOf(callId, 'call.answered'), ANSWERED_WITHIN_MS);
  if (plan.end === 'carrier') await far.hangUp();
  else if (plan.end === 'agent') await ada.hangUp(callId);
  else if (plan.end === 'consumer') await scene.terminate(callId);
  else await Promise.all([far.hangUp(), ada.hangUp(callId).catch(ignored)]);
  await far.ended(ENDS_WITHIN_MS);
  const { ended } = await lifeOf(scene.t, callId, ENDS_WITHIN_MS);
  assert.equal(ended.status, 'TERMINATED', JSON.stringify(ended.failureDetails));
  assert.ok(REASONS.includes(ended.terminationReason ?? ''), `ended ${ended.terminationReason}`);
  assert.equal((await far.options()).status, 481, 'the dialog still exists after its call ended');
  await sleep(PORT_SILENT_AFTER_MS);
  const since = Math.max(performance.now(), wire.lastAt);
  await sleep(LISTEN_MS);
  const late = far.audio.heard.filter(({ at }) => at > since);
  assert.equal(late.length, 0, 'audio is still sent after the call ended');
}
