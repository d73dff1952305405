/** `754` → `12:34`; from one hour on, `1:02:03`. Negative values count as zero. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0);
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** `754` → `12 minutes 34 seconds`, for a screen reader. */
export function speakDuration(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0);
  const part = (value: number, unit: string) =>
    value === 0 ? [] : [`${value} ${unit}${value === 1 ? '' : 's'}`];
  const parts = [
    ...part(Math.floor(whole / 3600), 'hour'),
    ...part(Math.floor((whole % 3600) / 60), 'minute'),
    ...part(whole % 60, 'second'),
  ];
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** Groups North American numbers in the usual way. Others are unchanged, because grouping differs by country. */
export function formatAddress(address: string): string {
  const nanp = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(address);
  return nanp ? `+1 ${nanp[1]} ${nanp[2]} ${nanp[3]}` : address;
}

/** Up to two initials of a name; null if it contains no letters. */
export function initialsOf(name: string): string | null {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word));
  const letter = (word: string | undefined) => word && [...word][0];
  const first = letter(words[0]);
  if (!first) return null;
  const last = words.length > 1 ? letter(words.at(-1)) : undefined;
  return (first + (last ?? '')).toUpperCase();
}

/** The dialable characters of typed or pasted text: digits, a leading `+`, `*` and `#`. */
export function dialable(text: string): string {
  const kept = text.replaceAll(/[^\d*#+]/g, '');
  return kept.slice(0, 1) + kept.slice(1).replaceAll('+', '');
}
