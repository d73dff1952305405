'use client';

import { encode } from 'uqr';
import { useMemo } from 'react';

/** The quiet zone in modules, without which scanners do not detect the code (ISO 18004, section 9.1). */
const QUIET = 4;

/** Rendered in the page, so that the secret is not sent anywhere. Black on white in dark mode too, as scanners expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-panel border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: QUIET });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return { path, size };
}
