/**
 * Text that PostgreSQL can store: `text` cannot contain U+0000, and JSON neither that nor an unpaired surrogate. Text from outside
 * (a SIP name, a reason phrase, a hook's response) is passed through here where it enters.
 */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/**
 * The same for every text in data that is JSON anyway, such as a message between processes. What is no JSON at all (nothing, a function)
 * stays as it is, for whoever checks the message.
 */
export function storable<T>(value: T): T {
  const json: string | undefined = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? storableText(part) : part,
  );
  if (json === undefined) return value;
  const copy: T = JSON.parse(json);
  return copy;
}
