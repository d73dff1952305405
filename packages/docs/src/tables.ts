/** Markdown tables and code blocks. */

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(headings), row(headings.map(() => '---')), ...rows.map((cells) => row(cells))].join('\n');

export const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
