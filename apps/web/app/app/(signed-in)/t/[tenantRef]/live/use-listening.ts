'use client';

/** The call that this page monitors, at most one. */
import type { Monitor, MonitorEnd, MonitorMode, MonitorState, Watcher } from '@clarion/sdk';
import { useToasts } from '@clarion/ui';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface MonitoredCall {
  callId: number;
  mode: MonitorMode;
  state: MonitorState;
  muted: boolean;
  stream: MediaStream | null;
}

export interface Listening {
  monitored: MonitoredCall | null;
  /** The browser blocks audio until the user clicks. */
  blocked: boolean;
  start(callId: number): void;
  setMode(mode: MonitorMode): void;
  mute(on: boolean): void;
  stop(): void;
  unblock(): void;
}

const ENDS: Record<Exclude<MonitorEnd, 'STOPPED'>, string> = {
  CALL_ENDED: 'The call has ended.',
  NOT_ALLOWED: 'You are no longer allowed to listen to this call.',
  REPLACED: 'You are now listening in another window.',
  FAILED: 'The audio could not be connected. Check your network and try again.',
};

export function useListening(watcher: Watcher | null): Listening {
  const toasts = useToasts();
  const [monitored, setMonitored] = useState<MonitoredCall | null>(null);
  const [blocked, setBlocked] = useState(false);
  const current = useRef<Monitor | null>(null);
  /** The call that was selected last; null: none, even while an earlier one is still connecting. */
  const wanted = useRef<number | null>(null);

  const fail = useCallback(
    (title: string, error: unknown) =>
      toasts.add({ title, description: failureMessage(error), tone: 'negative' }),
    [toasts],
  );

  useEffect(() => {
    if (watcher === null) return;
    const off = watcher.on('blocked', () => setBlocked(true));
    return () => {
      off();
      wanted.current = null;
      current.current?.stop().catch(() => undefined);
    };
  }, [watcher]);

  const start = useCallback(
    (callId: number) => {
      if (watcher === null) return;
      wanted.current = callId;
      setBlocked(false);
      setMonitored({ callId, mode: 'listen', state: 'connecting', muted: false, stream: null });
      const change = (monitor: Monitor, facts: Partial<MonitoredCall>) => {
        if (current.current === monitor) setMonitored((before) => before && { ...before, ...facts });
      };
      watcher.monitor(callId).then(
        (monitor) => {
          if (wanted.current !== callId) {
            monitor.stop().catch(() => undefined);
            return;
          }
          current.current = monitor;
          const { mode, state, remoteStream: stream } = monitor;
          setMonitored({ callId, mode, state, muted: false, stream });
          monitor.on('mode', (now) => change(monitor, { mode: now }));
          monitor.on('state', (now) => change(monitor, { state: now }));
          monitor.on('remoteStream', (now) => change(monitor, { stream: now }));
          monitor.on('ended', (reason) => {
            if (current.current !== monitor) return;
            current.current = null;
            setMonitored(null);
            if (reason !== 'STOPPED') toasts.add({ title: 'Listening has ended', description: ENDS[reason] });
          });
        },
        (error: unknown) => {
          if (wanted.current !== callId) return;
          setMonitored(null);
          fail('You cannot listen to this call', error);
        },
      );
    },
    [watcher, toasts, fail],
  );

  return {
    monitored,
    blocked,
    start,
    setMode(mode) {
      current.current?.setMode(mode).catch((error: unknown) => fail('The mode was not changed', error));
    },
    mute(on) {
      current.current?.mute(on);
      setMonitored((before) => before && { ...before, muted: on });
    },
    stop() {
      wanted.current = null;
      current.current?.stop().catch((error: unknown) => fail('Listening was not stopped', error));
      setMonitored(null);
    },
    unblock() {
      watcher?.unlockAudio().then(
        () => setBlocked(false),
        () => undefined,
      );
    },
  };
}

const failureMessage = (error: unknown): string =>
  error instanceof Error ? error.message : 'Try again in a moment.';
