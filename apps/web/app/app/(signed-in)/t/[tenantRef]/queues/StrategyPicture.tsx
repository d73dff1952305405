import type { Strategy } from './strategies.ts';

/** The opacity of each of four members; 1 is ringing. */
const rings: Record<Strategy, readonly number[]> = {
  ROUND_ROBIN: [1, 0.3, 0.3, 0.3],
  RING_ALL: [1, 1, 1, 1],
  PRIORITY: [1, 1, 0.3, 0.3],
};
const labels: Record<Strategy, readonly string[]> = {
  ROUND_ROBIN: ['', '', '', ''],
  RING_ALL: ['', '', '', ''],
  PRIORITY: ['1', '1', '2', '3'],
};
const TOP = 8;
const STEP = 17;

/** A caller on the left, members on the right, and the members that ring. */
export function StrategyPicture({ strategy }: { strategy: Strategy }) {
  return (
    <svg viewBox="0 0 88 68" className="h-14 w-auto text-accent" aria-hidden>
      <circle cx="9" cy="34" r="7" className="fill-current" />
      {rings[strategy].map((strength, index) => {
        const y = TOP + index * STEP;
        return (
          <g key={y} opacity={strength}>
            <path
              d={`M20 34 C 42 34 42 ${y} 64 ${y}`}
              className="fill-none stroke-current"
              strokeWidth="1.75"
            />
            <circle cx="76" cy={y} r="7" className="fill-surface stroke-current" strokeWidth="1.75" />
            <text x="76" y={y + 3} textAnchor="middle" className="fill-current text-[9px] font-semibold">
              {labels[strategy][index]}
            </text>
          </g>
        );
      })}
      {strategy === 'ROUND_ROBIN' && (
        <path
          d="M76 20 v-1 M73 17 l3 3.5 l3 -3.5"
          className="fill-none stroke-current"
          strokeWidth="1.5"
          opacity="0.8"
        />
      )}
    </svg>
  );
}
