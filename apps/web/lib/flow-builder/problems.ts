/**
 * All errors of a draft, each at its node, in the API's wording and in plain English. Fields are checked by the schemas of the API,
 * the graph by core's check.
 */
import { flowProblems } from '@clarion/core/ivr/check-flow';
import type { FlowReferences } from '@clarion/core/ivr/check-flow';
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import { fieldPath, issueMessage } from '@clarion/protocol/v1/fields/field-error';
import { putIvrFlowBody } from '@clarion/protocol/v1/tenant/ivr-flows';
import { bodyOf, structureOf } from './draft.ts';
import type { Draft } from './draft.ts';
import { factsIn, starterData } from './kinds.ts';
import { plainMessage } from './labels.ts';

export interface Problem {
  /** The node with the error; null: the flow as a whole. */
  nodeId: string | null;
  /** Within the node's data (`hours[0].to`), or of the flow (`name`); null: neither. */
  field: string | null;
  /** The exit of the incorrect edge; null: none. */
  exit: string | null;
  /** Follows the name of the field: "must …", in plain English. */
  message: string;
  /** In the API's wording: "structure.nodes[3].data.targetId must …". */
  sentence: string;
}

export function problemsOf(draft: Draft, world: FlowReferences): Problem[] {
  const ofFields = fieldProblems(draft);
  const known = new Set(ofFields.map(({ nodeId, field }) => `${nodeId} ${topOf(field)}`));
  const ofGraph = graphProblems(draft, ofFields, world);
  return [...ofFields, ...ofGraph.filter(({ nodeId, field }) => !known.has(`${nodeId} ${topOf(field)}`))];
}

const topOf = (field: string | null) => field?.split(/[.[]/)[0] ?? '';

function fieldProblems(draft: Draft): Problem[] {
  const read = putIvrFlowBody.safeParse(bodyOf(draft), { reportInput: true });
  return (read.error?.issues ?? []).map((issue) =>
    problemAt(draft, fieldPath(issue.path), issueMessage(issue)),
  );
}

/** Checks the graph as if incorrect fields were correct, because their errors are reported already. */
function graphProblems(draft: Draft, wrong: readonly Problem[], world: FlowReferences): Problem[] {
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
  return [...flowProblems(read.data, world)].map(({ field, message: words }) =>
    problemAt(draft, field, words),
  );
}

/** The node of a path in the API's form (`structure.nodes[3].data.targetId`). */
export function problemAt(draft: Draft, place: string, words: string): Problem {
  const sentence = `${place} ${words}.`;
  const [, list, index, rest] = /^structure\.(nodes|edges)\[(\d+)\]\.?(.*)$/.exec(place) ?? [];
  if (list === 'nodes') {
    const field = /^data\.(.+)$/.exec(rest ?? '')?.[1] ?? null;
    const node = draft.nodes[Number(index)];
    const said = plainMessage(words, node?.type ?? null);
    return { nodeId: node?.id ?? null, field, exit: null, message: said, sentence };
  }
  const edge = list === 'edges' ? draft.edges[Number(index)] : undefined;
  return {
    nodeId: edge?.source ?? null,
    field: list === undefined ? place : null,
    exit: edge?.exit ?? null,
    message: words,
    sentence,
  };
}

/** The problem that an error response names. */
export function problemOfAnswer(draft: Draft, field: string | undefined, message: string): Problem {
  if (field === undefined) return { nodeId: null, field: null, exit: null, message, sentence: message };
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
