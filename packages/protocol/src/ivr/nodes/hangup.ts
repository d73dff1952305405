/** ivr_hangup: ends the call. Data is empty. */
import { dataOf, defineNode, facts } from '../node.ts';

export const hangup = defineNode({ title: 'Hang up', data: dataOf({}), facts: () => facts({}) });
