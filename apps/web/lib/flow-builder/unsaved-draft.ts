/**
 * Text that leaves the page and must be validated when it returns: copied steps on the clipboard, and unsaved drafts in the tab's
 * storage. Null for anything that is not ours.
 */
import './jitless.ts';
import { ivrFlowStatuses, ivrTriggers } from '@clarion/protocol/enums';
import { ivrNodeTypes } from '@clarion/protocol/ivr/nodes/index';
import { z } from 'zod';
import type { Clip, Draft } from './draft.ts';

const properties = z.record(z.string(), z.unknown());
const node = z.object({
  id: z.string(),
  type: z.enum(ivrNodeTypes),
  position: z.object({ x: z.number(), y: z.number() }).nullable(),
  data: properties,
  rest: properties,
});
const edge = z.object({ source: z.string(), target: z.string(), exit: z.string(), rest: properties });
const clip = z.object({ nodes: z.array(node).min(1), edges: z.array(edge) });
const clipboard = z.object({ clarionSteps: clip });
const draft = z.object({
  name: z.string(),
  channelRef: z.string(),
  status: z.enum(ivrFlowStatuses),
  triggerCondition: z.enum(ivrTriggers),
  nodes: z.array(node),
  edges: z.array(edge),
  rest: properties,
});
const kept = z.object({
  by: z.string(),
  /** When it was last changed, in milliseconds. */
  at: z.number(),
  /** `updatedAt` of the stored flow that it changes; null: a new flow. */
  base: z.string().nullable(),
  draft,
});

/** An unsaved draft and its owner. */
export interface UnsavedDraft {
  by: string;
  at: number;
  base: string | null;
  draft: Draft;
}

export const clipText = (taken: Clip): string => JSON.stringify({ clarionSteps: taken });

/** A flow has one start node, so a copied start is omitted. */
export function readClip(text: string): Clip | null {
  const found = readJson(text, clipboard)?.clarionSteps;
  const nodes = found?.nodes.filter(({ type }) => type !== 'ivr_start') ?? [];
  return found && nodes.length > 0 ? { nodes, edges: found.edges } : null;
}

export const unsavedDraftText = (one: UnsavedDraft): string => JSON.stringify(one);

/** @param by the signed-in user, who must not see another user's draft in the same tab */
export function readUnsavedDraft(text: string | null, by: string): UnsavedDraft | null {
  const found = text === null ? null : readJson(text, kept);
  return found?.by === by ? found : null;
}

function readJson<T>(text: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
