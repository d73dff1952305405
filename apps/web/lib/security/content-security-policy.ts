/** The Content-Security-Policy. Scripts need the nonce of their response, or are loaded by such a script; no inline scripts, no eval. */
export interface PolicyOptions {
  /** New for every response, in base64. */
  nonce: string;
  /** Next's development server evaluates code. */
  development: boolean;
  /** The sites that may show the page in a frame; empty: none. */
  frameAncestors?: readonly string[];
  /** Where files are stored if not on this host (S3). */
  fileOrigins?: readonly string[];
}

export function contentSecurityPolicy({
  nonce,
  development,
  frameAncestors = [],
  fileOrigins = [],
}: PolicyOptions): string {
  const files = fileOrigins.map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    // React and the components set style attributes; this policy lets a style load nothing from other sites.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:`,
    `media-src 'self' data: blob: mediastream:${files}`,
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src 'self'${files}`,
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
  ].join('; ');
}
