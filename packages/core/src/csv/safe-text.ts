/** A text that a spreadsheet program would run as a formula gets an apostrophe, which an import of rates removes. */
export const safeText = (text: string): string => (/^[=+\-@]/.test(text) ? `'${text}` : text);
