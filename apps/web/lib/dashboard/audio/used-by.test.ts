import { expect, test } from 'vitest';
import { usesOf } from './used-by.ts';

test('an audio asset is used by the queues with it as hold audio and by the flows that play it, each listed once', () => {
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
