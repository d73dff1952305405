/** The behaviour of every node type. A new type does not compile until it has a line here. */
import type { IvrDataOf, IvrNode, IvrNodeType } from '@clarion/protocol/ivr/structure';
import type { Behaviour, Move, NodeState } from '../behaviour.ts';
import { gather } from './gather.ts';
import { hangup } from './hangup.ts';
import { hours } from './hours.ts';
import { menu } from './menu.ts';
import { play } from './play.ts';
import { start } from './start.ts';
import { transfer } from './transfer.ts';

const behaviours: { [T in IvrNodeType]: Behaviour<IvrDataOf<T>> } = {
  ivr_start: start,
  ivr_menu: menu,
  ivr_transfer: transfer,
  ivr_play: play,
  ivr_gather: gather,
  ivr_hours: hours,
  ivr_hangup: hangup,
};

type Ask = <Data>(behaviour: Behaviour<Data>, at: NodeState<Data>) => Move;

/** Calls the behaviour of the node's type with the node's data. */
export function runBehaviour(node: IvrNode, where: Omit<NodeState<never>, 'data'>, ask: Ask): Move {
  switch (node.type) {
    case 'ivr_start':
      return ask(behaviours.ivr_start, { ...where, data: node.data });
    case 'ivr_menu':
      return ask(behaviours.ivr_menu, { ...where, data: node.data });
    case 'ivr_transfer':
      return ask(behaviours.ivr_transfer, { ...where, data: node.data });
    case 'ivr_play':
      return ask(behaviours.ivr_play, { ...where, data: node.data });
    case 'ivr_gather':
      return ask(behaviours.ivr_gather, { ...where, data: node.data });
    case 'ivr_hours':
      return ask(behaviours.ivr_hours, { ...where, data: node.data });
    case 'ivr_hangup':
      return ask(behaviours.ivr_hangup, { ...where, data: node.data });
    default:
      return unknownNode(node);
  }
}

function unknownNode(node: never): never {
  throw new Error(`unknown node type: ${JSON.stringify(node)}`);
}
