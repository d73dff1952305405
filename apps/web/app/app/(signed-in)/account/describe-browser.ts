/** Ordered by specificity, because Edge also names Chrome, and Chrome also names Safari. */
const BROWSERS = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone|iPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

const find = (userAgent: string, known: readonly (readonly [RegExp, string])[]): string | undefined =>
  known.find(([pattern]) => pattern.test(userAgent))?.[1];

/** For example "Chrome on macOS". */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser';
  const [browser, system] = [find(userAgent, BROWSERS), find(userAgent, SYSTEMS)];
  return `${browser ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
