/** An endpoint of the registry with the names the reference gives it. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { planned } from '@clarion/protocol/v1/planned';
import type { Noun } from './nouns.ts';
import { nounOf } from './nouns.ts';

export interface DescribedEndpoint {
  /** Of the registry and of the Node client: `putQueue`. */
  name: string;
  definition: EndpointDefinition;
  noun: Noun;
  /** `reference/put-queue` */
  page: string;
  /** `Create or replace a queue` */
  title: string;
  coming: boolean;
}

export function describeEndpoints(all: Readonly<Record<string, EndpointDefinition>>): DescribedEndpoint[] {
  return Object.entries(all).map(([name, definition]) => ({
    name,
    definition,
    noun: nounOf(definition.path),
    page: `reference/${kebab(name)}`,
    title: titleOf(name, definition),
    coming: name in planned,
  }));
}

const words = (name: string) =>
  name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim()
    .split(' ');
const kebab = (name: string) => words(name).join('-');

const ABBREVIATIONS: Record<string, string> = { api: 'API', ivr: 'IVR', sip: 'SIP' };
const said = (word: string) => ABBREVIATIONS[word] ?? word;
const withArticle = (noun: string) => {
  if (
    /(?:[^s]s|usage|disturb|policy|settings|ingress|credentials)$/i.test(noun) ||
    /^(?:webhook|call recording)$/.test(noun)
  )
    return `the ${noun}`;
  return `${/^[aeio]|^SIP/i.test(noun) && !/^one/.test(noun) ? 'an' : 'a'} ${noun}`.replace(
    /^an SIP/,
    'a SIP',
  );
};

function titleOf(name: string, { method }: EndpointDefinition): string {
  const [verb = '', ...rest] = words(name);
  const noun = rest.map(said).join(' ');
  if (verb === 'put' && noun === 'do not disturb') return 'Set do-not-disturb';
  if (verb === 'put')
    return /s$/.test(noun)
      ? `Replace the ${noun}`
      : `Create or replace ${withArticle(noun)}`.replace('Create or replace the', 'Replace the');
  if (verb === 'list') return `List ${noun}`;
  if (verb === 'get') return `Get ${withArticle(noun)}`;
  const sentence = `${said(verb)} ${noun === '' ? '' : withArticle(noun)}`.trim();
  return noun === '' ? `${method} ${sentence}` : sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
