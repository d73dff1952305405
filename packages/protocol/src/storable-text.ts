/**
 * Text that PostgreSQL can store: `text` cannot contain U+0000, and JSON neither that nor an unpaired surrogate. Text from outside
 * (a SIP name, a reason phrase, a hook's response) is passed through here where it enters.
 */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The same for every string in JSON data, such as a message between processes. */
export function storable<T>(value: T): T {
  const copy: T = JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? storableText(part) : part)),
  );
  return copy;
}
