'use client';

import { ClarionError, type Agent, type AgentCall, type Call, type Warning } from '@clarion/sdk';
import type { PhoneActions, PhoneDevices, PhoneModel, PhoneProblem } from '@clarion/ui';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { PLACING_ID, phoneLines, phoneView, type Placing } from './phone-view.ts';
import { sentenceOf, type SignedIn } from './use-agent.ts';

interface PhoneOptions {
  /** Creates an outbound intent at the backend and resolves with its call id. */
  createCall(lineRef: string, number: string): Promise<number>;
}

const noDevices: PhoneDevices = { microphones: [], speakers: [], microphoneId: null, speakerId: null };

/** Binds a signed-in agent to the phone's model and actions. */
export function usePhone(
  signedIn: SignedIn,
  options: PhoneOptions,
): { model: PhoneModel; actions: PhoneActions } {
  const { agent, error, reconnect } = signedIn;
  const { createCall } = options;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [ended, setEnded] = useState<Readonly<AgentCall> | null>(null);
  const [answering, setAnswering] = useState<number | null>(null);
  const [placing, setPlacing] = useState<Placing | null>(null);
  const placement = useRef<AbortController | null>(null);
  const [problem, setProblem] = useState<PhoneProblem | null>(null);
  const [devices, setDevices] = useState(noDevices);
  const ringingSince = useRef(new Map<number, number>());
  const dialLines = agent?.lines;
  const lines = useMemo(() => phoneLines(dialLines ?? []), [dialLines]);

  useEffect(() => {
    if (!agent) return;
    const offs = [
      agent.on('updated', redraw),
      agent.on('leading', redraw),
      agent.on('incoming', (call) => {
        ringingSince.current.set(call.id, Date.now());
        setEnded(null);
      }),
      agent.on('state', (state, call) => {
        setEnded(state === 'ended' ? call.info : null);
        if (state === 'ended') ringingSince.current.delete(call.id);
      }),
      agent.on('warning', (warning) => setProblem((before) => afterWarning(before, warning))),
    ];
    return () => offs.forEach((off) => off());
  }, [agent]);

  useEffect(() => {
    if (!agent) return;
    let over = false;
    const read = async () => {
      const [list, permission] = await Promise.all([agent.audio.list(), agent.audio.permission()]);
      if (over) return;
      const { microphoneId, speakerId } = agent.audio;
      setDevices({ ...list, microphoneId, speakerId });
      setProblem((before) => afterPermission(before, permission));
    };
    void read();
    const off = agent.audio.on('changed', () => void read());
    return () => {
      over = true;
      off();
    };
  }, [agent]);

  /** Runs what the person asked for and says what went wrong. */
  const attempt = useCallback((work: Promise<unknown> | undefined) => {
    work?.then(
      () => setProblem((before) => (before?.kind === 'failed' ? null : before)),
      (reason: unknown) => setProblem(problemOf(reason)),
    );
  }, []);

  /** Creates the call at the backend, then starts it here, unless it was cancelled in between. */
  const place = useCallback(
    async (lineRef: string, number: string) => {
      if (!agent || placement.current) return;
      const cancel = (placement.current = new AbortController());
      setEnded(null);
      setPlacing({ number, line: lines.find(({ ref }) => ref === lineRef)?.name ?? null, since: Date.now() });
      try {
        const callId = await createCall(lineRef, number);
        if (!cancel.signal.aborted) await agent.startOutbound(callId);
      } finally {
        placement.current = null;
        setPlacing(null);
      }
    },
    [agent, createCall, lines],
  );
  const cancelPlacing = useCallback(() => {
    placement.current?.abort();
    setPlacing(null);
  }, []);

  const actions = useMemo(() => {
    const setters = { setProblem, setEnded, setAnswering };
    return phoneActions({ agent, attempt, place, cancelPlacing, problem, reconnect, ...setters });
  }, [agent, attempt, place, cancelPlacing, problem, reconnect]);

  const now = Date.now();
  const info = agent?.info ?? null;
  const model: PhoneModel = {
    connection: agent?.connection ?? (error === null ? 'connecting' : 'disconnected'),
    connectionError: error,
    agent: info && {
      name: info.name,
      availability: info.availability,
      shift: info.shift,
      doNotDisturb: info.doNotDisturb,
    },
    lines,
    view: phoneView({
      calls: agent?.calls ?? [],
      ended,
      answering,
      placing,
      ringingSince: ringingSince.current,
      now,
      clockOffsetMs: agent ? agent.serviceTime.getTime() - now : 0,
    }),
    problem,
    devices,
    rings: agent?.leading ?? false,
  };
  return { model, actions };
}

interface ActionParts {
  agent: Agent | null;
  attempt(work: Promise<unknown> | undefined): void;
  place(lineRef: string, number: string): Promise<void>;
  cancelPlacing(): void;
  problem: PhoneProblem | null;
  setProblem(problem: PhoneProblem | null): void;
  setEnded(ended: null): void;
  setAnswering(callId: number | null): void;
  reconnect(): void;
}

function phoneActions(parts: ActionParts): PhoneActions {
  const { agent, attempt, place, cancelPlacing, problem, setProblem, setEnded, setAnswering, reconnect } =
    parts;
  const on = (callId: number, work: (call: Call) => Promise<unknown>) => {
    const call = agent?.calls.find(({ id }) => id === callId);
    attempt(call && work(call));
  };
  return {
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
    bringHere: (callId) => on(callId, (call) => call.resume()),
    dismissEnded: () => setEnded(null),
    resolveProblem: () => {
      setProblem(null);
      if (problem?.kind === 'sound-blocked') attempt(agent?.audio.unlock());
      else if (problem?.kind !== 'failed' && problem?.kind !== 'microphone-changed')
        attempt(agent?.audio.askPermission());
    },
    reconnect,
    setMicrophone: (id) => attempt(agent?.audio.setMicrophone(id)),
    setSpeaker: (id) => attempt(agent?.audio.setSpeaker(id)),
    testSpeaker: () => attempt(agent?.audio.testSpeaker()),
    watchLevel: (listener) =>
      agent ? agent.audio.watchLevel(listener) : Promise.reject(new Error('Not signed in.')),
  };
}

function problemOf(error: unknown): PhoneProblem {
  if (error instanceof ClarionError) {
    if (error.code === 'microphone_blocked') return { kind: 'microphone-blocked' };
    if (error.code === 'microphone_unavailable') return { kind: 'microphone-missing' };
  }
  return { kind: 'failed', message: sentenceOf(error) };
}

/** Quality has its own place in the phone; what the person can do something about becomes a problem. */
function afterWarning(before: PhoneProblem | null, { name, active }: Warning): PhoneProblem | null {
  const kind =
    name === 'microphone-fell-back'
      ? 'microphone-changed'
      : name === 'microphone-missing'
        ? 'microphone-missing'
        : name === 'audio-blocked'
          ? 'sound-blocked'
          : null;
  if (kind === null) return before;
  if (active) return { kind };
  return before?.kind === kind ? null : before;
}

function afterPermission(before: PhoneProblem | null, permission: string): PhoneProblem | null {
  if (permission === 'prompt') return before ?? { kind: 'microphone-needed' };
  if (permission === 'denied') return { kind: 'microphone-blocked' };
  return before?.kind === 'microphone-needed' || before?.kind === 'microphone-blocked' ? null : before;
}
