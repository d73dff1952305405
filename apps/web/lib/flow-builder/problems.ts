/**
 * Everything that is wrong with a draft, as the API would refuse it and in plain words, each at the node that has it. The fields
 * are judged by the schemas of the API, the graph by core's check.
 */
import { flowProblems } from '@clarion/core/ivr/check-flow';
import type { FlowWorld } from '@clarion/core/ivr/check-flow';
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import { complaint, fieldPath } from '@clarion/protocol/v1/fields/field-error';
import { putIvrFlowBody } from '@clarion/protocol/v1/tenant/ivr-flows';
import { bodyOf, structureOf } from './draft.ts';
import type { Draft } from './draft.ts';
import { factsIn, starterData } from './kinds.ts';
import { friendlyComplaint } from './labels.ts';

export interface Problem {
  /** The node that has it; null: the flow as a whole. */
  nodeId: string | null;
  /** Within the node's data (`hours[0].to`), or of the flow (`name`); null: neither. */
  field: string | null;
  /** The exit of the edge that is at fault; null: none is. */
  exit: string | null;
  /** Follows the field: "must …", in plain words. */
  complaint: string;
  /** As the API says it: "structure.nodes[3].data.targetId must …". */
  sentence: string;
}

export function problemsOf(draft: Draft, world: FlowWorld): Problem[] {
  const ofFields = fieldProblems(draft);
  const known = new Set(ofFields.map(({ nodeId, field }) => `${nodeId} ${topOf(field)}`));
  const ofGraph = graphProblems(draft, ofFields, world);
  return [...ofFields, ...ofGraph.filter(({ nodeId, field }) => !known.has(`${nodeId} ${topOf(field)}`))];
}

const topOf = (field: string | null) => field?.split(/[.[]/)[0] ?? '';

function fieldProblems(draft: Draft): Problem[] {
  const read = putIvrFlowBody.safeParse(bodyOf(draft), { reportInput: true });
  return (read.error?.issues ?? []).map((issue) => problemAt(draft, fieldPath(issue.path), complaint(issue)));
}

/** The graph is judged as if fields that are wrong were right: what is wrong with them is said already. */
function graphProblems(draft: Draft, wrong: readonly Problem[], world: FlowWorld): Problem[] {
  const structure = structureOf({
    ...draft,
    nodes: draft.nodes.map((node) => {
      const fields = wrong.filter(({ nodeId }) => nodeId === node.id).map(({ field }) => topOf(field));
      if (fields.length === 0) return node;
      const { audio, target } = factsIn(node);
      const ids = [...audio.map(({ field }) => field), ...(target ? [target.field] : [])];
      const standIn = { ...Object.fromEntries(ids.map((field) => [field, 1])), ...starterData(node.type) };
      const right = Object.fromEntries(Object.entries(node.data).filter(([name]) => !fields.includes(name)));
      return { ...node, data: { ...standIn, ...right } };
    }),
  });
  const read = ivrStructure.safeParse(structure);
  if (!read.success) return [];
  return [...flowProblems(read.data, world)].map(({ field, complaint: words }) =>
    problemAt(draft, field, words),
  );
}

/** A place as the API names it (`structure.nodes[3].data.targetId`) → the node that it is in. */
export function problemAt(draft: Draft, place: string, words: string): Problem {
  const sentence = `${place} ${words}.`;
  const [, list, index, rest] = /^structure\.(nodes|edges)\[(\d+)\]\.?(.*)$/.exec(place) ?? [];
  if (list === 'nodes') {
    const field = /^data\.(.+)$/.exec(rest ?? '')?.[1] ?? null;
    const node = draft.nodes[Number(index)];
    const said = friendlyComplaint(words, node?.type ?? null);
    return { nodeId: node?.id ?? null, field, exit: null, complaint: said, sentence };
  }
  const edge = list === 'edges' ? draft.edges[Number(index)] : undefined;
  return {
    nodeId: edge?.source ?? null,
    field: list === undefined ? place : null,
    exit: edge?.exit ?? null,
    complaint: words,
    sentence,
  };
}

/** The problem that an error response names. */
export function problemOfAnswer(draft: Draft, field: string | undefined, message: string): Problem {
  if (field === undefined)
    return { nodeId: null, field: null, exit: null, complaint: message, sentence: message };
  const words = message.startsWith(field) ? message.slice(field.length).replace(/^:/, '').trim() : message;
  return { ...problemAt(draft, field, words.replace(/\.$/, '')), sentence: message };
}

/** The problems of steps and settings that differ from the initial draft. */
export const changedProblems = (problems: readonly Problem[], initial: Draft, draft: Draft): Problem[] =>
  problems.filter((problem) => placeOf(draft, problem) !== placeOf(initial, problem));

/** The value that a problem refers to. Once it changes, an error of the service no longer applies. */
export function placeOf(draft: Draft, { nodeId, field }: Problem): unknown {
  if (nodeId !== null) return draft.nodes.find(({ id }) => id === nodeId)?.data;
  return field === null
    ? draft
    : JSON.stringify([draft.name, draft.channelRef, draft.status, draft.triggerCondition]);
}
