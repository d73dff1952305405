/**
 * What a field means: its own description, or the description of the request field of the same noun that sets it, or the common
 * description of its name.
 */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { Field } from './fields.ts';
import { requestFields } from './fields.ts';
import { commonDescription, lastOf } from './common-descriptions.ts';

/** Sentences about omitting a field do not apply to responses. */
const ONLY_IN_REQUESTS = /omitted|required|default:/i;

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Meanings {
  ofRequest(field: Field): string;
  ofResponse(field: Field): string;
}

/** @param endpoints of one noun */
export function meaningsOf(endpoints: readonly EndpointDefinition[]): Meanings {
  const descriptions = new Map<string, string>();
  for (const { body } of endpoints) {
    for (const { name, description } of body ? requestFields(body) : []) {
      const sentences = description.split(/(?<=\.) /).filter((sentence) => !ONLY_IN_REQUESTS.test(sentence));
      const key = camelCase(name);
      if (sentences.length > 0 && !descriptions.has(key)) descriptions.set(key, sentences.join(' '));
    }
  }
  return {
    ofRequest: ({ name, description }) => description || commonDescription(camelCase(name)),
    ofResponse: ({ name, description }) =>
      description || descriptions.get(name) || descriptions.get(lastOf(name, 1)) || commonDescription(name),
  };
}
