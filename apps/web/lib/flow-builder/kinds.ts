/** The engine's registry of node types, for node data that may be incomplete. */
import { ivrNodes, ivrNodeTypes } from '@clarion/protocol/ivr/nodes/index';
import type { IvrNodeType } from '@clarion/protocol/ivr/nodes/index';
import { facts as noFacts } from '@clarion/protocol/ivr/node';
import type { NodeFacts } from '@clarion/protocol/ivr/node';
import type { z } from 'zod';
import type { DraftNode } from './draft.ts';

interface Kind {
  title: string;
  data: z.ZodType;
  facts: (data: never) => NodeFacts;
}

export const kindOf = (type: IvrNodeType): Kind => ivrNodes[type];

/** The types that can be added: a flow already has its start. */
export const addableTypes: readonly IvrNodeType[] = ivrNodeTypes.filter((type) => type !== 'ivr_start');

/** Reads fields one by one without validating them, so that it works with incomplete data. */
export function factsIn({ type, data }: Pick<DraftNode, 'type' | 'data'>): NodeFacts {
  try {
    return kindOf(type).facts(data as never);
  } catch {
    return noFacts({});
  }
}

const OFFICE_DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];

/** Initial data of a new node where the schema's defaults are not enough. */
export function starterData(type: IvrNodeType): Record<string, unknown> {
  switch (type) {
    case 'ivr_transfer':
      return { targetType: 'queue' };
    case 'ivr_hours':
      return {
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
        hours: [{ days: OFFICE_DAYS, from: '09:00', to: '17:00' }],
      };
    default:
      return {};
  }
}

/** The exit that is connected to the next added node: the first without an edge, keys first. */
export function freeExit(node: DraftNode, used: ReadonlySet<string>): string | null {
  const { exits } = factsIn(node);
  const inOrder = [...exits].toSorted((one, other) => rank(one) - rank(other));
  return inOrder.find((exit) => !used.has(exit)) ?? null;
}

/** 1 to 9 come before 0, * and #. */
const rank = (exit: string): number => (/^[1-9]$/.test(exit) ? Number(exit) : 10);
