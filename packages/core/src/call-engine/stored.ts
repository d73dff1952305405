/** Reads and writes engine data in JSON columns. Only this folder writes them, so reading checks the discriminator, not every field. */
import { storable } from '@clarion/protocol/storable-text';
import type { Prisma } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import type { OutsideEffect } from '../call-machine/effects.ts';
import type { CallState } from '../call-machine/state.ts';

/** Removes characters that PostgreSQL's jsonb rejects: a step that cannot be stored would be retried for ever. */
export function toJson(value: object): Prisma.InputJsonValue {
  const json: unknown = storable(value);
  return json as Prisma.InputJsonValue;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isState = (value: unknown): value is CallState =>
  isRecord(value) && typeof value['phase'] === 'string' && typeof value['callId'] === 'number';

/** @throws if the column does not contain a state of the machine */
export function parseState(json: unknown): CallState {
  if (!isState(json)) throw new Error('LiveCall.state does not contain a call state');
  return json;
}

const isFlow = (value: unknown): value is Flow =>
  isRecord(value) && isRecord(value['structure']) && isRecord(value['audio']) && isRecord(value['queues']);

/** @throws if the column does not contain a flow */
export function parseFlow(json: unknown): Flow {
  if (!isFlow(json)) throw new Error('LiveCall.flow does not contain a flow');
  return json;
}

const isEffects = (value: unknown): value is OutsideEffect[] =>
  Array.isArray(value) && value.every((entry) => isRecord(entry) && typeof entry['kind'] === 'string');

/** @throws if the column does not contain effects */
export function parseEffects(json: unknown): OutsideEffect[] {
  if (!isEffects(json)) throw new Error('EngineOutbox.effects does not contain effects');
  return json;
}
