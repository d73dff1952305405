/** Output for people: one `name: value` per line, nested names joined by dots, lists as blocks, lists within by index. With --json: JSON. */
export function print(value: unknown, asJson: boolean): string {
  return `${asJson ? JSON.stringify(value, null, 2) : readable(value)}\n`;
}

function readable(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '(none)' : value.map((entry) => lines(entry).join('\n')).join('\n\n');
  }
  return lines(value).join('\n');
}

function lines(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null) return [name ? `${name}: ${shown(value)}` : shown(value)];
  if (Array.isArray(value) && value.some((entry) => typeof entry === 'object' && entry !== null))
    return value.flatMap((entry, index) => lines(entry, `${name}[${index}]`));
  if (Array.isArray(value))
    return [`${name}: ${value.length === 0 ? '(none)' : value.map(shown).join(', ')}`];
  return Object.entries(value).flatMap(([key, inner]) => lines(inner, name ? `${name}.${key}` : key));
}

const shown = (value: unknown): string => (value === null || value === undefined ? '-' : String(value));
