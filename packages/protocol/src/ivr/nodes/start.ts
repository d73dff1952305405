/** ivr_start: the node at which every call enters the flow. Data is empty. */
import { dataOf, defineNode, facts, NEXT } from '../node.ts';

export const start = defineNode({
  title: 'Start',
  data: dataOf({}),
  facts: () => facts({ exits: [NEXT], needed: [{ exit: NEXT, field: null }] }),
});
