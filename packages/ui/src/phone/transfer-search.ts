import type { PhoneColleague, PhoneQueue, TransferChoices } from './model.ts';

export type TransferChoice =
  { kind: 'agent'; choice: PhoneColleague } | { kind: 'queue'; choice: PhoneQueue };

const ORDER = { free: 0, away: 2, busy: 3, offline: 4 } as const;
const QUEUE_ORDER = 1;

/** The targets whose name has a word starting with each typed word. Those that can take the call come first, then by name. */
export function matchingChoices({ colleagues, queues }: TransferChoices, search: string): TransferChoice[] {
  const wanted = wordsOf(search);
  const matches = (name: string) => {
    const words = wordsOf(name);
    return wanted.every((part) => words.some((word) => word.startsWith(part)));
  };
  const rank = (one: TransferChoice) => (one.kind === 'agent' ? ORDER[one.choice.state] : QUEUE_ORDER);
  const all: TransferChoice[] = [
    ...colleagues.map((choice): TransferChoice => ({ kind: 'agent', choice })),
    ...queues.map((choice): TransferChoice => ({ kind: 'queue', choice })),
  ];
  return all
    .filter(({ choice }) => matches(choice.name))
    .toSorted((a, b) => rank(a) - rank(b) || a.choice.name.localeCompare(b.choice.name));
}

/** Without case and accents: “mul” finds Müller. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
