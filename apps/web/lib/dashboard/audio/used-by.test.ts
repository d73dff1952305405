import { expect, test } from 'vitest';
import { usesOf } from './used-by.ts';

test('a sound is used by the queues that hold with it and the flows that play it, each once', () => {
  const flow = {
    ref: 'welcome',
    name: 'Welcome',
    structure: {
      nodes: [
        { id: 's', type: 'ivr_start' as const, data: {} },
        { id: 'a', type: 'ivr_play' as const, data: { audioFileId: 5 } },
        { id: 'b', type: 'ivr_play' as const, data: { audioFileId: 5 } },
      ],
      edges: [],
    },
  };
  const uses = usesOf(
    [
      { ref: 'sales', name: 'Sales', holdAudioAssetId: 5 },
      { ref: 'support', name: 'Support', holdAudioAssetId: null },
    ],
    [flow],
  );
  expect(uses.get(5)).toEqual([
    { kind: 'queue', ref: 'sales', name: 'Sales' },
    { kind: 'flow', ref: 'welcome', name: 'Welcome' },
  ]);
  expect(uses.size).toBe(1);
});
