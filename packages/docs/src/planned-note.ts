/** Marks something as planned. All pages use the same form, so that readers recognise it. */
export const plannedNote = (what: string): string => `> **Planned.** ${what}`;
