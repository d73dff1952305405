'use client';

import { useState } from 'react';

/** The value, or the last one once it is null: a closing drawer still shows its content. */
export function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
