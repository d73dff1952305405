'use client';

import { useEffect, useState } from 'react';

/** The text once nobody has typed for a moment, so that not every key sends a request. */
export function useSettled(text: string, milliseconds = 250): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), milliseconds);
    return () => clearTimeout(timer);
  }, [text, milliseconds]);
  return settled;
}
