/** Reads fields of JSON bodies; each failure is an error 100 that names the field. Pure. */
import { invalidParameter } from './errors.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function objectAt(body: Json, path: string): Json {
  const value = valueAt(body, path);
  if (!isObject(value)) throw invalidParameter(`Param ${path} must be a JSON object.`);
  return value;
}

export function textAt(body: Json, path: string, maxChars = Infinity): string {
  const value = valueAt(body, path);
  if (typeof value !== 'string' || value === '')
    throw invalidParameter(`Param ${path} must be a non-empty string.`);
  if (value.length > maxChars)
    throw invalidParameter(`Param ${path} must have at most ${maxChars} characters.`);
  return value;
}

export function optionalTextAt(body: Json, path: string, maxChars = Infinity): string | null {
  return valueAt(body, path) === undefined ? null : textAt(body, path, maxChars);
}

export function oneOf<T extends string>(body: Json, path: string, values: readonly T[]): T {
  const value = valueAt(body, path);
  const found = values.find((each) => each === value);
  if (found === undefined) throw invalidParameter(`Param ${path} must be one of {${values.join(', ')}}.`);
  return found;
}

export const valueAt = (body: Json, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), body);
