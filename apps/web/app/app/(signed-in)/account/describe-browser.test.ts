import { expect, test } from 'vitest';
import { describeBrowser } from './describe-browser.ts';

test('a browser is named as users know it', () => {
  const of = (tail: string) => describeBrowser(`Mozilla/5.0 ${tail}`);
  expect(of('(Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0')).toBe(
    'Edge on Windows',
  );
  expect(of('(X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36')).toBe('Chrome on Linux');
  expect(of('(Linux; Android 16) Chrome/142.0 Mobile Safari/537.36')).toBe('Chrome on Android');
  expect(of('(iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Safari/604.1')).toBe('Safari on iOS');
  expect(of('(Macintosh; Intel Mac OS X 15) Gecko/20100101 Firefox/150.0')).toBe('Firefox on macOS');
  expect(describeBrowser('curl/8.9')).toBe('Browser');
  expect(describeBrowser(null)).toBe('Unknown browser');
});
