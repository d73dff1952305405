import { notFound } from 'next/navigation.js';

/** A ref as it stands in a page's address; what cannot be one is no page. */
export function pathRef(segment: string): string {
  const ref = decoded(segment);
  // The database takes no NUL.
  return ref === null || ref.includes('\0') ? notFound() : ref;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null; // bytes that are no UTF-8
  }
}
