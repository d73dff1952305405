'use client';

import type { Agent, AgentCall, WarningName, WebPushOptions } from '@clarion/sdk';
import type { PhoneActions, PhoneAgent, PhoneDevices, PhoneModel, PhoneProblem } from '@clarion/ui';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { phoneActions } from './phone-actions.ts';
import { phoneLines, phoneView, type Placing } from './phone-view.ts';
import { afterPermission, afterWarning, problemOf, audioWarnings } from './problems.ts';
import type { SignedIn } from './use-agent.ts';
import { useHistory } from './use-history.ts';
import { useTeam } from './use-team.ts';
import { useWebPush } from './use-web-push.ts';

/** Callbacks of the embedding product. Each must be a stable function. */
export interface PhoneOptions {
  /** Creates an outbound intent at your backend and resolves with its call ID. Without it, the phone cannot dial. */
  createCall?: ((lineRef: string, number: string) => Promise<number>) | undefined;
  /** Saves the agent's note about a call. Without it, notes stay in this browser tab. */
  saveNote?: ((callId: number, text: string) => Promise<unknown> | void) | undefined;
  /** Sets it through your backend with the Management API. Without it, the phone only shows the state. */
  setDoNotDisturb?: ((on: boolean) => Promise<unknown> | void) | undefined;
  /** Lets agents choose that calls ring in this browser while the phone is closed. Without it, the phone does not offer it. */
  webPush?: WebPushOptions | undefined;
}

const noDevices: PhoneDevices = { microphones: [], speakers: [], microphoneId: null, speakerId: null };

/** Connects a signed-in agent to the phone's model and actions. */
export function usePhone(
  signedIn: SignedIn,
  options: PhoneOptions = {},
): { model: PhoneModel; actions: PhoneActions } {
  const { agent, error, reconnect } = signedIn;
  const { createCall, saveNote, setDoNotDisturb: tellDoNotDisturb } = options;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [ended, setEnded] = useState<Readonly<AgentCall> | null>(null);
  const [answering, setAnswering] = useState<number | null>(null);
  const [placing, setPlacing] = useState<Placing | null>(null);
  const placement = useRef<AbortController | null>(null);
  const [problem, setProblem] = useState<PhoneProblem | null>(null);
  const [warnings, setWarnings] = useState<WarningName[]>([]);
  const ringingSince = useRef(new Map<number, number>());
  const dialLines = agent?.lines;
  const lines = useMemo(() => (createCall ? phoneLines(dialLines ?? []) : []), [createCall, dialLines]);
  const devices = useDevices(agent, setProblem);
  const { webPush, setWebPush } = useWebPush(agent, options.webPush);
  const { calls, notes, setNote: keepNote } = useHistory(agent);

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
        if (state !== 'ended') return;
        ringingSince.current.delete(call.id);
        setWarnings([]);
      }),
      agent.on('warning', (warning, call) => {
        setProblem((before) => afterWarning(before, warning));
        if (call) setWarnings((before) => audioWarnings(before, warning));
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [agent]);

  /** Runs an action and shows its error. */
  const attempt = useCallback((work: Promise<unknown> | undefined) => {
    work?.then(
      () => setProblem((before) => (before?.kind === 'failed' ? null : before)),
      (reason: unknown) => setProblem(problemOf(reason)),
    );
  }, []);
  const { team, actions: teamActions } = useTeam(agent, attempt);

  /** Creates the call at the backend, then starts it in this tab, unless it was cancelled in between. */
  const place = useCallback(
    async (lineRef: string, number: string) => {
      if (!agent || !createCall || placement.current) return;
      const cancel = (placement.current = new AbortController());
      setEnded(null);
      setPlacing({ number, line: lines.find(({ ref }) => ref === lineRef) ?? null, since: Date.now() });
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
  const setNote = useCallback(
    (callId: number, text: string) => {
      keepNote(callId, text);
      if (saveNote) attempt(Promise.resolve(saveNote(callId, text)));
    },
    [attempt, keepNote, saveNote],
  );
  const setDoNotDisturb = useMemo(
    () => tellDoNotDisturb && ((on: boolean) => attempt(Promise.resolve(tellDoNotDisturb(on)))),
    [attempt, tellDoNotDisturb],
  );

  const actions = useMemo(() => {
    const setters = { setProblem, setEnded, setAnswering, setNote, setDoNotDisturb: setDoNotDisturb ?? null };
    const base = { agent, attempt, place, cancelPlacing, problem, reconnect, team: teamActions };
    return phoneActions({ ...base, ...setters, setWebPush });
  }, [
    agent,
    attempt,
    place,
    cancelPlacing,
    problem,
    reconnect,
    teamActions,
    setNote,
    setDoNotDisturb,
    setWebPush,
  ]);

  const now = Date.now();
  const clockOffsetMs = agent ? agent.serviceTime.getTime() - now : 0;
  const view = phoneView({
    calls: (agent?.calls ?? []).map((call) => factsOf(call, warnings)),
    ended,
    answering,
    placing,
    ringingSince: ringingSince.current,
    now,
    clockOffsetMs,
  });
  const model: PhoneModel = {
    connection: agent?.connection ?? (error === null ? 'connecting' : 'disconnected'),
    connectionError: error,
    agent: phoneAgent(agent, clockOffsetMs),
    lines,
    view,
    problem,
    devices,
    webPush,
    history: calls.map((past) => ({ ...past, note: notes[past.call.id] ?? '' })),
    note: (view.at !== 'idle' && notes[view.call.id]) || '',
    team,
    rings: agent?.leading ?? false,
  };
  return { model, actions };
}

const factsOf = (call: Agent['calls'][number], warnings: WarningName[]) => {
  const { info, expiresAt, muted, held, here, media, quality } = call;
  return { info, expiresAt, muted, held, here, media, quality, warnings };
};

function phoneAgent(agent: Agent | null, clockOffsetMs: number): PhoneAgent | null {
  const info = agent?.info;
  if (!info) return null;
  const { name, availability, shift, doNotDisturb, wrapUpUntil } = info;
  return {
    name,
    availability,
    shift,
    doNotDisturb,
    wrapUpUntil: wrapUpUntil === null ? null : Date.parse(wrapUpUntil) - clockOffsetMs,
  };
}

/** The microphones and speakers, and whether the microphone may be used. */
function useDevices(
  agent: Agent | null,
  setProblem: (step: (before: PhoneProblem | null) => PhoneProblem | null) => void,
): PhoneDevices {
  const [devices, setDevices] = useState(noDevices);
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
  }, [agent, setProblem]);
  return devices;
}
