'use client';

import { usePathname } from 'next/navigation.js';
import { useEffect } from 'react';

const COPIED_MS = 1_500;
const LANGUAGE = 'clarion-docs-language';

/** The scripted parts of the pages' HTML: copying code, and selecting a language for all code blocks. */
export function DocsActions() {
  const pathname = usePathname();
  useEffect(() => {
    const language = remembered();
    if (language) choose(language);
  }, [pathname]);
  useEffect(() => {
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return <p id="doc-said" role="status" className="sr-only" />;
}

function onClick({ target }: MouseEvent) {
  if (!(target instanceof HTMLElement)) return;
  const { language } = target.dataset;
  if (target.dataset['copy'] !== undefined) void copy(target).catch(() => undefined);
  if (target.role === 'tab' && language) remember(language, target);
}

/** Arrow keys, Home and End move between tabs (WAI-ARIA, tabs with automatic activation). */
function onKey(event: KeyboardEvent) {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || target.role !== 'tab') return;
  const tabs = [...(target.parentElement?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
  const at = tabs.indexOf(target);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[key];
  const tab = next === undefined ? undefined : tabs[next % tabs.length];
  if (!tab?.dataset['language']) return;
  event.preventDefault();
  remember(tab.dataset['language'], tab);
  tab.focus();
}

async function copy(button: HTMLElement) {
  const block = button.closest('.doc-code');
  const code = block?.querySelector('[role=tabpanel]:not([hidden]) code') ?? block?.querySelector('code');
  await navigator.clipboard.writeText(code?.textContent ?? '');
  button.textContent = 'Copied';
  const said = document.getElementById('doc-said');
  if (said) said.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
    if (said) said.textContent = '';
  }, COPIED_MS);
}

/** Shows a language in all code blocks that have it. */
function choose(language: string) {
  for (const block of document.querySelectorAll('[data-tabs]')) {
    const tabs = [...block.querySelectorAll<HTMLElement>('[role=tab]')];
    if (!tabs.some((tab) => tab.dataset['language'] === language)) continue;
    for (const tab of tabs) {
      const chosen = tab.dataset['language'] === language;
      tab.ariaSelected = String(chosen);
      tab.tabIndex = chosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = !chosen;
    }
  }
}

/** Keeps the clicked tab in place when code blocks above change their height. */
function remember(language: string, tab: HTMLElement) {
  const before = tab.getBoundingClientRect().top;
  choose(language);
  window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {
    // Without storage the choice is not remembered.
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}
