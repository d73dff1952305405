import { notFound } from 'next/navigation.js';

/** The ref in a page's URL; null if it cannot be a ref. */
export function pathRef(segment: string): string {
  const ref = decoded(segment);
  // The database does not accept NUL.
  return ref === null || ref.includes('\0') ? notFound() : ref;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null; // not UTF-8
  }
}
