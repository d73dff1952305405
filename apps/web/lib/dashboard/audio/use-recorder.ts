'use client';

/** Records from the microphone: requests access, reports the input level and returns the recording. */
import { useCallback, useEffect, useRef, useState } from 'react';

/** Longer than any greeting, and well below the upload limit. */
export const TAKE_MAX_SECONDS = 180;
const FFT_SIZE = 1024;

export type Recorder =
  | { state: 'idle' }
  | { state: 'asking' }
  | { state: 'refused'; reason: string }
  | { state: 'recording'; since: number }
  | { state: 'taken'; take: Blob };

export interface RecorderControls {
  recorder: Recorder;
  /** The current level, from 0 to 1. */
  level(): number;
  start(): Promise<void>;
  stop(): void;
  again(): void;
}

export function useRecorder(): RecorderControls {
  const [recorder, setRecorder] = useState<Recorder>({ state: 'idle' });
  const held = useRef<{ stop(): void; level(): number }>(null);
  const mounted = useRef(false);
  const release = useCallback(() => {
    held.current?.stop();
    held.current = null;
  }, []);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
      release();
    };
  }, [release]);

  const start = useCallback(async () => {
    setRecorder({ state: 'asking' });
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      // The dialog was closed before the browser's question was answered.
      if (!mounted.current) return stopTracks(stream);
      held.current = listen(stream, (take) => setRecorder({ state: 'taken', take }));
      setRecorder({ state: 'recording', since: Date.now() });
    } catch (error) {
      setRecorder({ state: 'refused', reason: reasonOf(error) });
    }
  }, []);

  return {
    recorder,
    level: useCallback(() => held.current?.level() ?? 0, []),
    start,
    stop: release,
    again: useCallback(() => setRecorder({ state: 'idle' }), []),
  };
}

const stopTracks = (stream: MediaStream) => stream.getTracks().forEach((track) => track.stop());

function listen(stream: MediaStream, onTake: (take: Blob) => void) {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: FFT_SIZE });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(FFT_SIZE);
  const media = new MediaRecorder(stream);
  const parts: Blob[] = [];
  media.ondataavailable = ({ data }) => parts.push(data);
  media.onstop = () => {
    stopTracks(stream);
    void context.close();
    onTake(new Blob(parts, { type: media.mimeType }));
  };
  media.start();
  const limit = setTimeout(() => stop(), TAKE_MAX_SECONDS * 1000);
  function stop() {
    clearTimeout(limit);
    if (media.state !== 'inactive') media.stop();
  }
  return {
    stop,
    level() {
      analyser.getFloatTimeDomainData(samples);
      return Math.min(
        1,
        samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0),
      );
    },
  };
}

function reasonOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotFoundError') return 'No microphone found. Connect one and try again.';
  if (name === 'NotAllowedError')
    return 'Microphone access is blocked. Allow it next to the address bar and try again.';
  return 'The microphone is not available. Another program may be using it.';
}
