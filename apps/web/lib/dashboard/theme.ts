/** Light, dark or the system's theme, stored in a cookie so that the first paint uses it. */
import type { Theme } from '@clarion/ui';

export const THEME_COOKIE = 'clarion-theme';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export const isTheme = (value: string | undefined): value is 'light' | 'dark' =>
  value === 'light' || value === 'dark';

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  return isTheme(chosen) ? chosen : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  const age = theme === 'system' ? 0 : YEAR_SECONDS;
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${age}; samesite=lax`;
}
