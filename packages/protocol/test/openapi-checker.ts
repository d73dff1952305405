/** For tests: checks responses against the published document with a JSON Schema validator, as a client could. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../src/openapi/input-shape.ts';
import type { OpenApiDocument } from '../src/openapi/build-openapi.ts';

export interface DocumentedResponse {
  status: number;
  contentType: string | null;
  text: string;
}

export interface DocumentChecker {
  /** The errors of the validator for a value; empty if it matches. */
  schemaErrors(schema: JsonSchema, value: unknown): string[];
  /** What the document does not specify of a response; empty if all of it is documented. `path` is the template with braces. */
  undocumented(path: string, method: string, answer: DocumentedResponse): string[];
  /** The path template that matches the path of a request; undefined if there is none. */
  templateOf(pathname: string, method: string): string | undefined;
}

type Content = Record<string, { schema: JsonSchema }>;
interface Response {
  $ref?: string;
  content?: Content;
}
interface Parameter {
  name?: string;
  in?: string;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

const DOCUMENT = 'document';
const JSON_TYPE = 'application/json';
const INVALID = 400;
const SNIPPET_CHARS = 300;
const within = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`));

export function checkerOf(document: OpenApiDocument): DocumentChecker {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: DOCUMENT, components: { schemas: document.components.schemas } });
  const compiled = new WeakMap<JsonSchema, ValidateFunction>();

  function schemaErrors(schema: JsonSchema, value: unknown): string[] {
    const validate = compiled.get(schema) ?? ajv.compile(within(schema));
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || '(all)'} ${message}`,
    );
  }

  const operationOf = (path: string, method: string) =>
    document.paths[path]?.[method.toLowerCase()] as Operation | undefined;

  function undocumented(path: string, method: string, { status, contentType, text }: DocumentedResponse) {
    const operation = operationOf(path, method);
    const named = operation?.responses[status];
    if (!operation || !named) {
      return [`${method} ${path} does not document ${status}: ${text.slice(0, SNIPPET_CHARS)}`];
    }
    const shared = named.$ref?.replace('#/components/responses/', '');
    const answer = shared === undefined ? named : document.components['responses']?.[shared];
    const { content } = (answer ?? {}) as Response;
    if (!content) {
      return text === '' ? [] : [`${status} is documented as empty, not ${text.slice(0, SNIPPET_CHARS)}`];
    }
    const type = contentType?.split(';')[0]?.trim() ?? 'none';
    const media = content[type];
    if (!media) return [`${status} is documented as ${Object.keys(content).join()}, not ${type}`];
    if (type !== JSON_TYPE) return [];
    if (text === '') return [`${status} is documented with a body and has none`];
    const body: unknown = JSON.parse(text);
    const field = fieldOf(body);
    const unknown =
      field !== undefined && status === INVALID && !hasField(operation, field)
        ? [`details.field names ${field}, which is not a field of the request`]
        : [];
    return [...schemaErrors(media.schema, body), ...unknown];
  }

  /** Whether a path in the form of errors (`members[2].priority`) refers to a field of the request. */
  function hasField({ parameters = [], requestBody }: Operation, field: string): boolean {
    const steps = field.split(/[.[\]]+/).filter((step) => step !== '');
    const parameter = parameters.some(({ name = '', in: place }) =>
      place === 'path' ? snakeCase(name) === field : name === field,
    );
    const schema = requestBody?.content[JSON_TYPE]?.schema;
    return parameter || (schema !== undefined && leadsSomewhere(document, schema, steps));
  }

  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  /** Prefers the template with fewer placeholders: `/v1/calls/live` before `/v1/calls/{callId}`. */
  const blanks = (path: string) => path.split('{').length;
  const templateOf = (pathname: string, method: string) =>
    templates
      .filter(({ path, pattern }) => pattern.test(pathname) && operationOf(path, method))
      .toSorted((a, b) => blanks(a.path) - blanks(b.path))[0]?.path;

  return { schemaErrors, undocumented, templateOf };
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function fieldOf(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { details?: { field?: unknown } } };
  const field = error?.details?.field;
  return typeof field === 'string' ? field : undefined;
}

function leadsSomewhere(document: OpenApiDocument, schema: JsonSchema, steps: string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  if (schema.$ref) {
    const named = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    return named !== undefined && leadsSomewhere(document, named, steps);
  }
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (choices.some((choice) => leadsSomewhere(document, choice, steps))) return true;
  const next = /^\d+$/.test(step) ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties);
  if (typeof next === 'boolean') return next;
  return next !== undefined && !Array.isArray(next) && leadsSomewhere(document, next, rest);
}
