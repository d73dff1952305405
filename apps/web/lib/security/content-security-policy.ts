/** What a page may load. Scripts run with the nonce of their answer alone, and what those load; nothing inline, nothing evaluated. */
export interface PolicyOptions {
  /** New for every answer, in base64. */
  nonce: string;
  /** Next's development server evaluates code. */
  development: boolean;
  /** Who may show the page in a frame; nobody when there is none. */
  frameAncestors?: readonly string[];
  /** Where files lie when that is not here (S3). */
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
    // React and the components place things by style attributes; a style can load nothing from elsewhere here.
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
