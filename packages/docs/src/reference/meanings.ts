/**
 * What a field means: its own description; else the words of the request field that sets it, within one noun; else the common
 * words.
 */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { Field } from './fields.ts';
import { requestFields } from './fields.ts';
import { commonWords, lastOf } from './words.ts';

/** Sentences about leaving a field out do not concern the reader of an answer. */
const ONLY_FOR_SENDING = /omitted|required|default:/i;

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Meanings {
  ofRequest(field: Field): string;
  ofAnswer(field: Field): string;
}

/** @param endpoints of one noun */
export function meaningsOf(endpoints: readonly EndpointDefinition[]): Meanings {
  const said = new Map<string, string>();
  for (const { body } of endpoints) {
    for (const { name, description } of body ? requestFields(body) : []) {
      const sentences = description.split(/(?<=\.) /).filter((sentence) => !ONLY_FOR_SENDING.test(sentence));
      if (sentences.length > 0 && !said.has(camelCase(name))) said.set(camelCase(name), sentences.join(' '));
    }
  }
  return {
    ofRequest: ({ name, description }) => description || commonWords(camelCase(name)),
    ofAnswer: ({ name, description }) =>
      description || said.get(name) || said.get(lastOf(name, 1)) || commonWords(name),
  };
}
