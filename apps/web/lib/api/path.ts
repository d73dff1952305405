/** Path fields, read from the request's path with the registry's template. */
import { issueMessage } from '@clarion/protocol/v1/fields/field-error';
import { pathFields } from '@clarion/protocol/v1/endpoint';
import type { EndpointDefinition, PathField, PathParams } from '@clarion/protocol/v1/endpoint';
import { invalidField, notFound } from '@clarion/protocol';

const isPathField = (name: string): name is PathField => name in pathFields;
/** Fields that the caller chooses: a PUT may create the resource. */
const isChosenByCaller = (name: PathField) => name.endsWith('Ref') || name === 'deviceId';
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @throws 404, and on a PUT 400 naming the ref (docs/requirements.md#fields) */
export function readPath<E extends EndpointDefinition>(endpoint: E, pathname: string): PathParams<E['path']> {
  const segments = pathname.split('/');
  const params: Record<string, unknown> = {};
  for (const { name, index } of fieldsOf(endpoint.path)) {
    const text = decode(segments[index] ?? '');
    const parsed = text === null ? null : pathFields[name].safeParse(text, { reportInput: true });
    if (parsed?.success) {
      params[name] = parsed.data;
      continue;
    }
    if (endpoint.method !== 'PUT' || !isChosenByCaller(name)) throw notFound('It');
    const field = snakeCase(name);
    const [issue] = parsed?.error.issues ?? [];
    throw invalidField(field, `${field} ${issue ? issueMessage(issue) : 'is not in the expected format'}.`);
  }
  return params as PathParams<E['path']>; // every name of the template is set above
}

/** The positions of the fields in each template. There are only as many templates as endpoints. */
const fieldsByTemplate = new Map<string, { name: PathField; index: number }[]>();

function fieldsOf(template: string): { name: PathField; index: number }[] {
  const found = fieldsByTemplate.get(template);
  if (found) return found;
  const fields = template.split('/').flatMap((segment, index) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return [];
    if (!isPathField(name)) throw new Error(`${template} names an unknown path field ${name}`);
    return [{ name, index }];
  });
  fieldsByTemplate.set(template, fields);
  return fields;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
