/** Parses the bodies of the control API. Pure but for reading an audio file. */
import { readFile } from 'node:fs/promises';
import type { GraphFault } from '../graph/faults.ts';
import type { CustomerAudio } from '../media/customer-media.ts';
import { decodeWav } from '../media/wav.ts';
import { isGraphErrorCode, type GraphErrorCode } from '../protocol/errors.ts';
import { valueAt, type Json } from '../protocol/fields.ts';
import { eventKinds, type EventKind, type NewFault } from '../webhooks/schedule.ts';
import { ControlError } from '../world/world.ts';

const bad = (text: string): ControlError => new ControlError(text, 400);

export function text(body: Json, name: string): string {
  const value = valueAt(body, name);
  if (typeof value !== 'string' || value === '') throw bad(`${name} must be a non-empty string`);
  return value;
}

export const optionalText = (body: Json, name: string): string | undefined =>
  valueAt(body, name) === undefined ? undefined : text(body, name);

export function whole(body: Json, name: string, fallback?: number): number {
  const value = valueAt(body, name) ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw bad(`${name} must be a whole number of at least 0`);
  return value;
}

export function flag(body: Json, name: string): boolean {
  const value = valueAt(body, name);
  if (typeof value !== 'boolean') throw bad(`${name} must be true or false`);
  return value;
}

export function choice<T extends string>(body: Json, name: string, values: readonly T[], fallback?: T): T {
  const value = valueAt(body, name) ?? fallback;
  const found = values.find((each) => each === value);
  if (found === undefined) throw bad(`${name} must be one of ${values.join(', ')}`);
  return found;
}

export function errorCode(body: Json, name: string): GraphErrorCode {
  const code = whole(body, name);
  if (!isGraphErrorCode(code)) throw bad(`${name} is not an error code of Meta: ${code}`);
  return code;
}

export async function audio(body: Json): Promise<CustomerAudio> {
  const kind = choice(body, 'kind', ['silence', 'tone', 'file']);
  if (kind === 'silence') return { kind };
  if (kind === 'tone') return { kind, hz: whole(body, 'hz') };
  const path = text(body, 'path');
  try {
    return { kind: 'pcm', samples: decodeWav(await readFile(path)) };
  } catch (error) {
    throw bad(`path: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const DEFAULT_HOLD_MS = 10_000;

export function webhookFault(body: Json): NewFault {
  const common = { events: eventsOf(body), ...numberOf(body), times: timesOf(body) };
  const kinds = ['late', 'duplicate', 'lost', 'forged', 'unsigned', 'reorder', 'batch'] as const;
  const kind = choice(body, 'kind', kinds);
  switch (kind) {
    case 'late':
      return { ...common, kind, delayMs: whole(body, 'delayMs') };
    case 'duplicate':
      return { ...common, kind, copies: whole(body, 'copies', 1), gapMs: whole(body, 'gapMs', 0) };
    case 'lost':
    case 'forged':
    case 'unsigned':
      return { ...common, kind };
    case 'reorder': {
      const behind = choice(body, 'behind', [...eventKinds, 'any'] as const, 'any');
      return { ...common, kind, behind, maxHoldMs: whole(body, 'maxHoldMs', DEFAULT_HOLD_MS) };
    }
    case 'batch': {
      const shape = choice(body, 'shape', ['entries', 'changes', 'values'] as const, 'entries');
      const size = Math.max(1, whole(body, 'size', 2));
      return { ...common, kind, size, windowMs: whole(body, 'windowMs', DEFAULT_HOLD_MS), shape };
    }
  }
}

export function graphFault(body: Json): GraphFault {
  const common = { on: optionalText(body, 'on') ?? 'all', ...numberOf(body), times: timesOf(body) };
  const kinds = ['error', 'http', 'slow', 'timeout', 'lost_response', 'malformed'] as const;
  const kind = choice(body, 'kind', kinds);
  switch (kind) {
    case 'error':
      return { ...common, kind, code: errorCode(body, 'code') };
    case 'http':
      return { ...common, kind, status: whole(body, 'status'), body: optionalText(body, 'body') ?? '' };
    case 'slow':
      return { ...common, kind, delayMs: whole(body, 'delayMs') };
    case 'timeout':
    case 'lost_response':
    case 'malformed':
      return { ...common, kind };
  }
}

/** One by default, so that a forgotten fault does not spoil the next test; null is all. */
const timesOf = (body: Json): number | null =>
  valueAt(body, 'times') === null ? null : whole(body, 'times', 1);

const numberOf = (body: Json): { phoneNumberId?: string } => {
  const phoneNumberId = optionalText(body, 'phoneNumberId');
  return phoneNumberId === undefined ? {} : { phoneNumberId };
};

function eventsOf(body: Json): readonly EventKind[] | 'all' {
  const value = valueAt(body, 'events') ?? 'all';
  if (value === 'all') return 'all';
  if (!Array.isArray(value)) throw bad(`events must be "all" or a list of ${eventKinds.join(', ')}`);
  return value.map((each) => choice({ events: each as unknown }, 'events', eventKinds));
}
