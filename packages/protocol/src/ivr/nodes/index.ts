/** All IVR node types. A new type needs a file here, its lines below and its lines in `structure.ts`. */
import type { z } from 'zod';
import type { NodeFacts } from '../node.ts';
import { gather } from './gather.ts';
import { hangup } from './hangup.ts';
import { hours } from './hours.ts';
import { menu } from './menu.ts';
import { play } from './play.ts';
import { start } from './start.ts';
import { transfer } from './transfer.ts';

export const ivrNodeTypes = [
  'ivr_start',
  'ivr_menu',
  'ivr_transfer',
  'ivr_play',
  'ivr_gather',
  'ivr_hours',
  'ivr_hangup',
] as const;
export type IvrNodeType = (typeof ivrNodeTypes)[number];

export const ivrNodes = {
  ivr_start: start,
  ivr_menu: menu,
  ivr_transfer: transfer,
  ivr_play: play,
  ivr_gather: gather,
  ivr_hours: hours,
  ivr_hangup: hangup,
} satisfies Record<IvrNodeType, { title: string; data: z.ZodType; facts: (data: never) => NodeFacts }>;

/** The data of a node type, with defaults filled in. */
export type IvrDataOf<T extends IvrNodeType> = z.output<(typeof ivrNodes)[T]['data']>;
