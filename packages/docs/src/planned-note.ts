/** Marks something as planned, in the same form on all pages. */
export const plannedNote = (what: string): string => `> **Planned.** ${what}`;
