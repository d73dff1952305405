import type { Agent, Call } from '@clarion/sdk';
import type { PhoneActions, PhoneProblem } from '@clarion/ui';
import { PLACING_ID } from './phone-view.ts';
import { transferChoices } from './team.ts';
import type { TeamActions } from './use-team.ts';

interface ActionParts {
  agent: Agent | null;
  /** Runs an action and shows its error. */
  attempt(work: Promise<unknown> | undefined): void;
  place(lineRef: string, number: string): Promise<void>;
  cancelPlacing(): void;
  problem: PhoneProblem | null;
  setProblem(problem: PhoneProblem | null): void;
  setEnded(ended: null): void;
  setAnswering(callId: number | null): void;
  setNote(callId: number, text: string): void;
  setDoNotDisturb: ((on: boolean) => void) | null;
  setWebPush(on: boolean): void;
  reconnect(): void;
  team: TeamActions;
}

/** Implements the phone's actions with the SDK. */
export function phoneActions(parts: ActionParts): PhoneActions {
  const { agent, attempt, place, cancelPlacing, problem, setProblem, setEnded, setAnswering } = parts;
  const on = (callId: number, work: (call: Call) => Promise<unknown>) => {
    const call = agent?.calls.find(({ id }) => id === callId);
    attempt(call && work(call));
  };
  const notSignedIn = () => Promise.reject(new Error('You are not signed in.'));
  return {
    ...parts.team,
    setAvailability: (status) => attempt(agent?.setAvailability(status)),
    dial: (lineRef, number) => attempt(place(lineRef, number)),
    answer: (callId) => {
      setAnswering(callId);
      on(callId, (call) => call.accept().finally(() => setAnswering(null)));
    },
    decline: (callId) => on(callId, (call) => call.decline()),
    hangUp: (callId) => {
      if (callId === PLACING_ID) cancelPlacing();
      else on(callId, (call) => call.hangup());
    },
    mute: (callId, muted) => on(callId, (call) => call.mute(muted)),
    hold: (callId, held) => on(callId, (call) => call.hold(held)),
    sendDigits: (callId, digits) => on(callId, (call) => call.sendDigits(digits)),
    transfer: (callId, { kind, id }) =>
      on(callId, (call) => call.transfer(kind === 'agent' ? { agentId: id } : { queueId: id })),
    cancelTransfer: (callId) => on(callId, (call) => call.cancelTransfer()),
    transferChoices: async () =>
      agent ? transferChoices(await agent.colleagues(), agent.info?.agentId ?? null) : notSignedIn(),
    pauseRecording: (callId, paused) =>
      on(callId, (call) => (paused ? call.pauseRecording() : call.resumeRecording())),
    endWrapUp: () => attempt(agent?.endWrapUp()),
    setDoNotDisturb: parts.setDoNotDisturb,
    setWebPush: parts.setWebPush,
    setNote: parts.setNote,
    bringHere: (callId) => on(callId, (call) => call.resume()),
    dismissEnded: () => setEnded(null),
    resolveProblem: () => {
      setProblem(null);
      if (problem?.kind === 'audio-blocked') attempt(agent?.audio.unlock());
      else if (problem?.kind !== 'failed' && problem?.kind !== 'microphone-changed')
        attempt(agent?.audio.askPermission());
    },
    reconnect: parts.reconnect,
    setMicrophone: (id) => attempt(agent?.audio.setMicrophone(id)),
    setSpeaker: (id) => attempt(agent?.audio.setSpeaker(id)),
    testSpeaker: () => attempt(agent?.audio.testSpeaker()),
    watchLevel: (listener) => (agent ? agent.audio.watchLevel(listener) : notSignedIn()),
  };
}
