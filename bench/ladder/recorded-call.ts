/** The frames and facts of one real call, to be played again under other identifiers. */
import type { MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import { bridgedCall } from '../../apps/media/test/support/calls.ts';
import { MediaFixture } from '../../apps/media/test/support/media-fixture.ts';
import { Ladders } from '../../apps/media/src/ladder/ladders.ts';

type Step =
  | { do: 'frame'; frame: string }
  | { do: 'bind'; sipCallId: string; leg: { callId: number; legId: string; kind: 'carrier-in' } }
  | { do: 'note'; legId: string; what: string }
  | { do: 'fact'; fact: MediaFact; payload: MediaFactPayload<MediaFact> }
  | { do: 'command'; command: 'agent:connect'; payload: object; reply: unknown }
  | { do: 'removed' };

export interface RecordedCall {
  sipCallId: string;
  steps: Step[];
}

/** An inbound call that is answered by an agent, handed over, and ended by the customer. */
export async function recordCall(): Promise<RecordedCall> {
  const steps: Step[] = [];
  const restore = spyOn(steps);
  const fixture = await MediaFixture.start();
  const bridged = await bridgedCall(fixture);
  await bridged.call.hangUp();
  await bridged.close();
  await fixture.realtime.ladder(bridged.callId);
  await fixture.close();
  restore();
  const bound = steps.find((step) => step.do === 'bind');
  if (!bound) throw new Error('the call was not captured');
  return { sipCallId: bound.sipCallId, steps };
}

/** Notes what the node passes to its ladders. */
function spyOn(steps: Step[]): () => void {
  const { prototype } = Ladders;
  const { captureFrame, bindLeg, note, fact, command, callRemoved } = prototype;
  prototype.captureFrame = function (frame) {
    if (frame.includes('\r\n')) steps.push({ do: 'frame', frame });
    captureFrame.call(this, frame);
  };
  prototype.bindLeg = function (sipCallId, leg) {
    const { callId, legId } = leg;
    steps.push({ do: 'bind', sipCallId: sipCallId ?? '', leg: { callId, legId, kind: 'carrier-in' } });
    bindLeg.call(this, sipCallId, leg);
  };
  prototype.note = function (callId, legId, what, data) {
    steps.push({ do: 'note', legId, what });
    note.call(this, callId, legId, what, data);
  };
  prototype.fact = function (name, payload) {
    steps.push({ do: 'fact', fact: name, payload: payload as MediaFactPayload<MediaFact> });
    fact.call(this, name, payload);
  };
  prototype.command = function (name, payload, reply, startedMs) {
    if (name === 'agent:connect')
      steps.push({ do: 'command', command: name, payload: payload as object, reply });
    command.call(this, name, payload, reply, startedMs);
  };
  prototype.callRemoved = function (callId) {
    steps.push({ do: 'removed' });
    callRemoved.call(this, callId);
  };
  return () => Object.assign(prototype, { captureFrame, bindLeg, note, fact, command, callRemoved });
}

/** Plays the call through `ladders` as call `callId`. */
export function play({ sipCallId, steps }: RecordedCall, ladders: Ladders, callId: number): void {
  const own = `${callId}-${sipCallId}`;
  for (const step of steps) {
    switch (step.do) {
      case 'frame':
        ladders.captureFrame(step.frame.replaceAll(sipCallId, own));
        break;
      case 'bind':
        ladders.bindLeg(own, { ...step.leg, callId });
        break;
      case 'note':
        ladders.note(callId, step.legId, step.what);
        break;
      case 'fact':
        ladders.fact(step.fact, { ...step.payload, callId } as MediaFactPayload<MediaFact>);
        break;
      case 'command':
        ladders.command(step.command, { ...step.payload, callId }, step.reply, performance.now());
        break;
      case 'removed':
        ladders.callRemoved(callId);
    }
  }
}
