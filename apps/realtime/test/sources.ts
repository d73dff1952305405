/** What a leg hears, as media is told it. */
import type { Source } from '@clarion/protocol/media';

export const wordsOf = (sources: Source[]): string[] =>
  sources.flatMap((source) =>
    source.kind === 'audio' ? source.clips.flatMap((clip) => ('word' in clip ? [clip.word] : [])) : [],
  );
export const says = (word: string) => (sources: Source[]) => wordsOf(sources).includes(word);
export const playIdOf = ([source]: Source[]): string => (source?.kind === 'audio' ? source.playId : '');
export const holds = ([source]: Source[]) => source?.kind === 'tone' && source.tone === 'hold';
