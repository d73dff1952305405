/** In the order in which one claims to be the others: Edge says that it is Chrome, Chrome that it is Safari. */
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

/** "Chrome on macOS": enough to know one's own browsers by. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser';
  const [browser, system] = [find(userAgent, BROWSERS), find(userAgent, SYSTEMS)];
  return `${browser ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
