/** Says of something that it is ahead of what is built. One form everywhere, so that it is recognised. */
export const comingNote = (what: string): string => `> **Coming.** ${what}`;
