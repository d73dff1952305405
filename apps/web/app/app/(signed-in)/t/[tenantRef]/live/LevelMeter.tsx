'use client';

import { useEffect, useRef } from 'react';

/** In dB of full scale: silence and the loudest level. */
const QUIET_DB = -60;
const LOUD_DB = -10;
const SAMPLES = 1024;

/** The audio level, written to the element sixty times a second without React. */
export function LevelMeter({ stream }: { stream: MediaStream | null }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (stream === null) return;
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: SAMPLES });
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(SAMPLES);
    let frame = 0;
    const draw = () => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / SAMPLES;
      const decibels = 10 * Math.log10(power + 1e-9);
      const level = Math.min(1, Math.max(0, (decibels - QUIET_DB) / (LOUD_DB - QUIET_DB)));
      if (bar.current) bar.current.style.transform = `scaleX(${level.toFixed(3)})`;
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [stream]);
  return (
    <div aria-hidden className="h-1.5 w-full max-w-40 overflow-hidden rounded-full bg-pressed">
      <div
        ref={bar}
        className="h-full w-full origin-left rounded-full bg-positive"
        style={{ transform: 'scaleX(0)' }}
      />
    </div>
  );
}
