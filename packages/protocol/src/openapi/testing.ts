/** For tests: holds what was answered against the published document, as a reader with a JSON Schema validator of its own would. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from './input-shape.ts';
import type { OpenApiDocument } from './build-openapi.ts';

export interface DocumentedAnswer {
  status: number;
  contentType: string | null;
  text: string;
}

export interface DocumentChecker {
  /** The complaints of a validator about a value; none when it fits. */
  complaints(schema: JsonSchema, value: unknown): string[];
  /** What of an answer the document does not say; empty when it says all of it. */
  undocumented(path: string, method: string, answer: DocumentedAnswer): string[];
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema: JsonSchema }>;
}

const DOCUMENT = 'document';
const within = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`));

export function checkerOf(document: OpenApiDocument): DocumentChecker {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: DOCUMENT, components: { schemas: document.components.schemas } });
  const compiled = new WeakMap<JsonSchema, ValidateFunction>();

  function complaints(schema: JsonSchema, value: unknown): string[] {
    const validate = compiled.get(schema) ?? ajv.compile(within(schema));
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || '(all)'} ${message}`,
    );
  }

  function undocumented(path: string, method: string, { status, contentType, text }: DocumentedAnswer) {
    const responses = document.paths[path]?.[method.toLowerCase()]?.['responses'] as
      Record<string, Response> | undefined;
    const named = responses?.[status];
    if (!named) return [`${method} ${path} does not document ${status}: ${text.slice(0, 300)}`];
    const shared = named.$ref?.replace('#/components/responses/', '');
    const answer = shared === undefined ? named : document.components['responses']?.[shared];
    const { content } = (answer ?? {}) as Response;
    if (!content)
      return text === '' ? [] : [`${status} is documented as empty and says ${text.slice(0, 300)}`];
    const type = contentType?.split(';')[0]?.trim() ?? 'none';
    const media = content[type];
    if (!media) return [`${status} is documented as ${Object.keys(content).join()}, not ${type}`];
    return type === 'application/json' ? complaints(media.schema, JSON.parse(text)) : [];
  }

  return { complaints, undocumented };
}
