/** Source addresses as people paste them: separated by commas, semicolons, spaces or line breaks. */

export const splitSources = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((part) => part !== '')),
];

/** One per line, as the form shows them. */
export const joinSources = (sources: readonly string[]): string => sources.join('\n');
