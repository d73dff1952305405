/** ivr_play: plays an audio asset to its end and continues. */
import { dataOf, defineNode, facts, NEXT, nodeId } from '../node.ts';

export const play = defineNode({
  title: 'Play',
  data: dataOf({ audioFileId: nodeId }),
  facts: ({ audioFileId }) =>
    facts({ exits: [NEXT], takesTime: true, audio: [{ id: audioFileId, field: 'audioFileId' }] }),
});
