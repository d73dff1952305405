/** Download URLs of the local store: `{base_url}/files/<key>?expires=<Unix seconds>&signature=…`. Anyone can use one until it expires. */
import { isFileKey } from './file-key.ts';

/** Signs download URLs and verifies them; core's secret box implements it. */
export interface UrlSigner {
  sign(purpose: 'file-url', text: string): string;
  isSigned(purpose: 'file-url', text: string, signature: string): boolean;
}

export interface UrlOptions {
  baseUrl: string;
  secrets: UrlSigner;
}

/** A URL with a longer lifetime is not ours. */
const MAX_SECONDS = 24 * 60 * 60;
const signedText = (key: string, expires: number) => `${expires}\n${key}`;

export function fileUrl({ baseUrl, secrets }: UrlOptions, key: string, seconds: number, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + seconds;
  const signature = secrets.sign('file-url', signedText(key, expires));
  return `${baseUrl}/files/${key}?expires=${expires}&signature=${signature}`;
}

/** The key that a request for `/files/…` may read; null if the URL is forged or has expired. */
export function readFileUrl(url: URL, secrets: UrlSigner, now: Date): string | null {
  const [, key] = /^\/files\/(.+)$/.exec(url.pathname) ?? [];
  const expires = url.searchParams.get('expires') ?? '';
  const signature = url.searchParams.get('signature') ?? '';
  if (key === undefined || !isFileKey(key) || !/^\d{1,12}$/.test(expires)) return null;
  const leftSeconds = Number(expires) - now.getTime() / 1000;
  // The signature is verified in any case, so that the response time reveals nothing.
  const signed = secrets.isSigned('file-url', signedText(key, Number(expires)), signature);
  return signed && leftSeconds > 0 && leftSeconds <= MAX_SECONDS ? key : null;
}
