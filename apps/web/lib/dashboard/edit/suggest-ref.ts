/** Shorter than a ref may be (docs/requirements.md#fields): a suggestion should be easy to say. */
const SUGGESTED_MAX_CHARS = 40;

/** "Café Zürich & Co." → "cafe-zurich-co": a ref that is valid in URLs and not in `taken`. */
export function suggestRef(name: string, taken: readonly string[] = []): string {
  const base = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, SUGGESTED_MAX_CHARS)
    .replace(/-+$/, '');
  if (base === '' || !taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
