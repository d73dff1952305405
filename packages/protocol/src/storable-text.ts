/**
 * Text that PostgreSQL can store: `text` cannot contain U+0000, and JSON can contain neither that nor an unpaired
 * surrogate. External text (a SIP display name, a reason phrase, the response of a lookup hook) is passed through this function on entry.
 */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/**
 * The same for every string in JSON data, such as a message between processes. A value that JSON cannot represent (undefined, a
 * function) is returned unchanged, and the validation of the message rejects it.
 */
export function storable<T>(value: T): T {
  const json: string | undefined = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? storableText(part) : part,
  );
  if (json === undefined) return value;
  const copy: T = JSON.parse(json);
  return copy;
}
