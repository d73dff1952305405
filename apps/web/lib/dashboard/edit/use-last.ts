'use client';

import { useState } from 'react';

/** The value, and after it has gone the last one: a sheet that closes still shows what it was about. */
export function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
