/** Path fields, read off the request's own path by the registry's template. */
import { complaint } from '@clarion/protocol/v1/fields/field-error';
import { pathFields } from '@clarion/protocol/v1/endpoint';
import type { EndpointDefinition, PathField, PathParams } from '@clarion/protocol/v1/endpoint';
import { invalidField, notFound } from '@clarion/protocol';

const isPathField = (name: string): name is PathField => name in pathFields;
/** On a PUT these may name something new. */
const isChosenByCaller = (name: PathField) => name.endsWith('Ref') || name === 'deviceId';
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @throws 404, and on a PUT 400 naming the ref (docs/requirements.md#fields) */
export function readPath<E extends EndpointDefinition>(endpoint: E, pathname: string): PathParams<E['path']> {
  const sent = pathname.split('/');
  const params: Record<string, unknown> = {};
  for (const { name, index } of fieldsOf(endpoint.path)) {
    const text = decode(sent[index] ?? '');
    const parsed = text === null ? null : pathFields[name].safeParse(text, { reportInput: true });
    if (parsed?.success) {
      params[name] = parsed.data;
      continue;
    }
    if (endpoint.method !== 'PUT' || !isChosenByCaller(name)) throw notFound('It');
    const field = snakeCase(name);
    const [issue] = parsed?.error.issues ?? [];
    throw invalidField(field, `${field} ${issue ? complaint(issue) : 'is not in the expected format'}.`);
  }
  return params as PathParams<E['path']>; // every name of the template was filled above
}

/** Where in a template each field stands; templates are as many as endpoints. */
const known = new Map<string, { name: PathField; index: number }[]>();

function fieldsOf(template: string): { name: PathField; index: number }[] {
  const found = known.get(template);
  if (found) return found;
  const fields = template.split('/').flatMap((step, index) => {
    const name = /^\{(\w+)\}$/.exec(step)?.[1];
    if (name === undefined) return [];
    if (!isPathField(name)) throw new Error(`${template} names an unknown path field ${name}`);
    return [{ name, index }];
  });
  known.set(template, fields);
  return fields;
}

function decode(step: string): string | null {
  try {
    return decodeURIComponent(step);
  } catch {
    return null;
  }
}
