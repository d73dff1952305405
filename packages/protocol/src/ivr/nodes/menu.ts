/**
 * ivr_menu: plays a prompt and waits for one key, which is the exit. A key without an edge is treated like no input, for which
 * `noInputAction` applies.
 */
import { integer, orDefault } from '../../v1/fields/fields.ts';
import { dataOf, defineNode, facts, lowercaseEnum, NEXT, nodeId } from '../node.ts';

export const menuKeys = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '#'] as const;
/** How long the menu waits for a key after the prompt has ended. */
export const MENU_TIMEOUT_SECONDS = { min: 1, max: 60, default: 5 };
/** How often the prompt is repeated without input. */
export const MAX_REPLAYS = { min: 0, max: 10, default: 3 };
export const noInputActions = ['replay', 'hangup', 'next'] as const;

export const menu = defineNode({
  title: 'Menu',
  data: dataOf({
    audioFileId: nodeId,
    timeoutSeconds: orDefault(
      integer(MENU_TIMEOUT_SECONDS.min, MENU_TIMEOUT_SECONDS.max),
      MENU_TIMEOUT_SECONDS.default,
    ),
    /** replay: up to maxReplays times; then the exit is `next` if it has an edge, otherwise the call is hung up. */
    noInputAction: orDefault(lowercaseEnum(noInputActions), 'replay'),
    maxReplays: orDefault(integer(MAX_REPLAYS.min, MAX_REPLAYS.max), MAX_REPLAYS.default),
  }),
  facts: ({ audioFileId, noInputAction }) =>
    facts({
      exits: [...menuKeys, NEXT],
      needed: noInputAction === 'next' ? [{ exit: NEXT, field: 'noInputAction' }] : [],
      takesTime: true,
      audio: [{ id: audioFileId, field: 'audioFileId' }],
    }),
});
