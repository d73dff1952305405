'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation.js';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';
import type { FoundPage } from './search/route.ts';

const TYPING_MS = 90;
/** A click outside closes it. Not yet in React's types. */
const closesOnClickBeside: object = { closedby: 'any' };

/** The search box: `/` opens it, arrow keys select, Enter opens the result, Escape closes it. */
export function DocsSearch() {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const router = useRouter();
  const [words, setWords] = useState('');
  const { found, searched } = useFound(words);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      const asked = (event.key === '/' && !typing) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
      if (!asked || dialog.current?.open) return;
      event.preventDefault();
      dialog.current?.showModal();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const open = () => {
    dialog.current?.showModal();
    input.current?.select();
  };
  const close = () => dialog.current?.close();
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const [first] = found;
    if (event.key === 'Enter' && event.target === input.current && first) {
      event.preventDefault();
      close();
      router.push(first.href);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [...(dialog.current?.querySelectorAll<HTMLElement>('input, li a') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    // Enter opens the first result while the input has the focus, so the down arrow selects the second.
    const next = at === 0 && step === 1 ? Math.min(2, stops.length - 1) : at + step;
    stops[Math.max(0, Math.min(next, stops.length - 1))]?.focus();
  };

  return (
    <>
      <button type="button" className="doc-search-open" onClick={open} aria-keyshortcuts="/">
        <svg viewBox="0 0 20 20" aria-hidden>
          <path d="M13.2 13.2 17 17M8.75 14.5a5.75 5.75 0 1 1 0-11.5 5.75 5.75 0 0 1 0 11.5Z" />
        </svg>
        <span>Search</span>
        <kbd aria-hidden>/</kbd>
      </button>
      <dialog
        ref={dialog}
        className="doc-search"
        aria-label="Search the documentation"
        onKeyDown={onKeyDown}
        {...closesOnClickBeside}
      >
        <div className="doc-search-box">
          <input
            ref={input}
            type="search"
            aria-label="Search"
            autoComplete="off"
            spellCheck={false}
            placeholder="Search for a topic, an error code or a field"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          {found.length > 0 && (
            <ul aria-label="Pages found">
              {found.map(({ href, title, heading, passage }) => (
                <li key={href}>
                  <Link href={href} prefetch={false} onClick={close}>
                    <span className="doc-hit-title">
                      {title}
                      {heading && <span> › {heading}</span>}
                    </span>
                    <span className="doc-hit-passage">{passage}</span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <p role="status" className={searched && found.length === 0 ? 'doc-search-none' : 'sr-only'}>
            {searched && (found.length === 0 ? `No results for “${searched}”.` : `${found.length} pages`)}
          </p>
        </div>
      </dialog>
    </>
  );
}

/** Searches shortly after the last key press; outdated responses are ignored. */
function useFound(words: string): { found: FoundPage[]; searched: string } {
  const [answer, setAnswer] = useState<{ found: FoundPage[]; searched: string }>({ found: [], searched: '' });
  useEffect(() => {
    const asked = words.trim();
    const overtaken = new AbortController();
    const timer = setTimeout(async () => {
      if (asked === '') return setAnswer({ found: [], searched: '' });
      try {
        const response = await fetch(`/docs/search?q=${encodeURIComponent(asked)}`, {
          signal: overtaken.signal,
        });
        const { found } = (await response.json()) as { found: FoundPage[] };
        setAnswer({ found, searched: asked });
      } catch {
        // Outdated, or offline: keep the current results.
      }
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [words]);
  return answer;
}
