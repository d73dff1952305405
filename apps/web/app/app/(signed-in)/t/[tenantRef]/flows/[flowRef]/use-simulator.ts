'use client';

/** A simulated caller in the flow, with a clock, audio and keys. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { request } from '#lib/dashboard/request.ts';
import { advance, simulate } from '#lib/flow-builder/simulate.ts';
import type { Simulation } from '#lib/flow-builder/simulate.ts';
import type { Builder } from './use-builder.ts';

export interface Simulator {
  simulation: Simulation | null;
  /** False: the flow has errors that must be fixed first. */
  canStart: boolean;
  /** @param at the simulated time in milliseconds; null: now */
  start(at: number | null): void;
  stop(): void;
  press(key: string): void;
  /** Ends the current wait: the end of the audio, or the key timeout. */
  skip(): void;
  /** No agent answers the call. */
  nobodyAnswers(): void;
  withSound: boolean;
  setWithSound(on: boolean): void;
  /** The simulated time. */
  now(): number;
}

export function useSimulator(tenantRef: string, builder: Builder): Simulator {
  const { draft, world, problems } = builder;
  const [simulation, setSimulation] = useState<Simulation | null>(null);
  const [withSound, setWithSound] = useState(true);
  const ahead = useRef(0);
  const now = useCallback(() => Date.now() + ahead.current, []);
  const seconds = useMemo(
    () => new Map(world.sounds.map(({ id, durationSeconds }) => [id, durationSeconds])),
    [world.sounds],
  );
  const input = useCallback(
    (what: Parameters<typeof advance>[1]) =>
      setSimulation((before) => (before === null ? null : advance(before, what, now()))),
    [now],
  );

  // The end of the audio and the end of a wait are timers.
  const wakeAt = simulation?.wakeAt ?? null;
  const playId = simulation?.playing?.playId ?? null;
  const assetId = simulation?.playing?.assetId ?? null;
  useEffect(() => {
    if (wakeAt === null || playId !== null) return;
    const timer = setTimeout(() => input({ kind: 'time-over' }), Math.max(0, wakeAt - now()));
    return () => clearTimeout(timer);
  }, [wakeAt, playId, input, now]);
  useEffect(() => {
    if (playId === null || assetId === null) return;
    const ended = () => input({ kind: 'prompt-ended', playId, played: true });
    const length = (seconds.get(assetId) ?? 0) * 1000;
    if (!withSound) {
      const timer = setTimeout(ended, length);
      return () => clearTimeout(timer);
    }
    return playSound(tenantRef, assetId, length, ended);
  }, [playId, assetId, withSound, tenantRef, seconds, input]);

  const pass = (ms: number) => {
    ahead.current += Math.max(0, ms);
  };
  return {
    simulation,
    canStart: problems.length === 0,
    start: (at) => {
      ahead.current = at === null ? 0 : at - Date.now();
      setSimulation(simulate(draft, seconds, now()));
    },
    stop: () => setSimulation(null),
    press: (key) => input({ kind: 'key', key }),
    skip: () => {
      if (simulation?.playing) {
        pass((seconds.get(simulation.playing.assetId) ?? 0) * 1000);
        input({ kind: 'prompt-ended', playId: simulation.playing.playId, played: true });
      } else if (wakeAt !== null) {
        pass(wakeAt - now());
        input({ kind: 'time-over' });
      }
    },
    nobodyAnswers: () => input({ kind: 'overflowed' }),
    withSound,
    setWithSound,
    now,
  };
}

/** Plays the tenant's sound; one that cannot be had takes its time in silence. @returns stops it */
function playSound(tenantRef: string, assetId: number, lengthMs: number, ended: () => void): () => void {
  const audio = new Audio();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const inSilence = () => {
    if (!stopped) timer ??= setTimeout(ended, lengthMs);
  };
  audio.onended = ended;
  audio.onerror = inSilence;
  void request('GET', '/v1/tenants/{tenantRef}/audio-assets/{assetId}/url', { path: { tenantRef, assetId } })
    .then(async ({ url }) => {
      if (stopped) return;
      audio.src = url;
      await audio.play();
    })
    .catch(inSilence);
  return () => {
    stopped = true;
    clearTimeout(timer);
    audio.onended = null;
    audio.onerror = null;
    audio.pause();
  };
}
