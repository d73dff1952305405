import type { Agent, Board, Monitor } from '@clarion/sdk';
import type { MonitorMode, PhoneActions, PhoneTeam } from '@clarion/ui';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { teamCall, teamQueue } from './team.ts';

export type TeamActions = Pick<
  PhoneActions,
  'watchTeam' | 'monitor' | 'setMonitorMode' | 'muteMonitor' | 'stopMonitor'
>;

/** Why monitoring ended, for the supervisor; absent if they ended it. */
const END_MESSAGES: Partial<Record<string, string>> = {
  NOT_ALLOWED: 'You are no longer allowed to listen to this call.',
  FAILED: 'Listening stopped because the audio could not be connected.',
};

/**
 * The team's live calls and queues while they are shown, and the call that a supervisor monitors.
 * @param attempt runs an action and shows its error
 */
export function useTeam(
  agent: Agent | null,
  attempt: (work: Promise<unknown> | undefined) => void,
): { team: PhoneTeam | null; actions: TeamActions } {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [board, setBoard] = useState<Board | null>(null);
  const [monitor, setMonitor] = useState<Monitor | null>(null);
  const wanted = useRef(false);

  useEffect(() => {
    if (!agent) return;
    // Many calls can change together; one render per frame is enough.
    let frame = 0;
    const soon = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        redraw();
      });
    };
    const offs = [agent.on('boardCall', soon), agent.on('counters', soon)];
    return () => {
      offs.forEach((off) => off());
      cancelAnimationFrame(frame);
      setBoard(null);
      setMonitor(null);
    };
  }, [agent]);

  const watchTeam = useCallback(
    (on: boolean) => {
      wanted.current = on;
      if (!agent) return;
      attempt(
        agent.subscribeBoard().then((subscribed) => {
          if (wanted.current) setBoard(subscribed);
          else {
            setBoard(null);
            return subscribed.unsubscribe();
          }
        }),
      );
    },
    [agent, attempt],
  );

  const actions = useMemo((): TeamActions => {
    const listen = async (callId: number, mode: MonitorMode) => {
      if (!agent) return;
      const started = await agent.monitor(callId, { mode });
      setMonitor(started);
      started.on('state', redraw);
      started.on('mode', redraw);
      started.on('ended', (reason) => {
        setMonitor((current) => (current === started ? null : current));
        const message = END_MESSAGES[reason];
        if (message) attempt(Promise.reject(new Error(message)));
      });
    };
    return {
      watchTeam,
      monitor: (callId, mode) => attempt(listen(callId, mode)),
      setMonitorMode: (mode) => attempt(monitor?.setMode(mode)),
      muteMonitor: (on) => {
        monitor?.mute(on);
        redraw();
      },
      stopMonitor: () => attempt(monitor?.stop()),
    };
  }, [agent, attempt, monitor, watchTeam]);

  const supervisor = agent?.info?.role === 'SUPERVISOR';
  if (!agent || !(supervisor || agent.tenant?.teamView)) return { team: null, actions };
  const clockOffsetMs = agent.serviceTime.getTime() - Date.now();
  const monitoredCallId = monitor === null || monitor.state === 'ended' ? null : monitor.callId;
  const team: PhoneTeam = {
    modes: supervisor ? (agent.tenant?.monitoringModes ?? []).map((mode) => MODES[mode]) : [],
    board: board && {
      calls: board.calls.map((call) =>
        teamCall(call, clockOffsetMs, call.callId === monitoredCallId ? (agent.info?.name ?? null) : null),
      ),
      queues: board.queues.map((queue) => teamQueue(queue, clockOffsetMs)),
    },
    monitor:
      monitor && monitor.state !== 'ended'
        ? { callId: monitor.callId, mode: monitor.mode, state: monitor.state, muted: monitor.muted }
        : null,
  };
  return { team, actions };
}

const MODES = { LISTEN: 'listen', WHISPER: 'whisper', BARGE: 'barge' } as const;
