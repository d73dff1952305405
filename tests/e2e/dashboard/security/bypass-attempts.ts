/** Requests that try to bypass the access checks of a server. */

/** Headers that bypassed the middleware of Next in the past (CVE-2025-29927 and others), and its internal ones. */
export const BYPASSES: Record<string, string>[] = [
  ...['proxy', 'src/proxy', 'middleware', 'src/middleware', 'pages/_middleware'].map((name) => ({
    'x-middleware-subrequest': Array(6).fill(name).join(':'),
  })),
  { 'x-middleware-subrequest': 'middleware', 'x-middleware-subrequest-id': 'x' },
  { 'x-middleware-rewrite': '/app/users', 'x-middleware-next': '1' },
  { 'x-middleware-override-headers': 'cookie', 'x-middleware-request-cookie': 'clarion-session=x' },
  { 'x-invoke-path': '/app/users', 'x-invoke-status': '200', 'x-invoke-output': '/app/users' },
  { 'x-matched-path': '/app/users', 'x-now-route-matches': '1' },
  { 'x-nextjs-data': '1', purpose: 'prefetch', 'x-middleware-prefetch': '1' },
  { RSC: '1', 'Next-Router-Prefetch': '1' },
  { RSC: '1', 'Next-Router-Segment-Prefetch': '/_tree' },
  { RSC: '1', 'Next-Router-Segment-Prefetch': '/app/users/__PAGE__' },
  { RSC: '1', 'Next-Router-State-Tree': encodeURIComponent(JSON.stringify(['', { children: ['app', {}] }])) },
  { 'x-prerender-revalidate': 'x', 'x-prerender-revalidate-if-generated': '1' },
  { 'x-clarion-peer': '127.0.0.1', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  { 'x-original-url': '/app/sign-in', 'x-rewrite-url': '/app/sign-in' },
  { authorization: 'Bearer x', cookie: 'clarion-session=v1.00000000.AAAA' },
];
/** Variants of the path of a page for owners, `/app/users`. */
export const PATH_VARIANTS = [
  '/app/users/',
  '/app//users',
  '//app/users',
  '/app/./users',
  '/app/x/../users',
  '/app/%75sers',
  '/app%2fusers',
  '/app/users%2f',
  '/app/users%00',
  '/app/users.',
  '/app/users.rsc',
  '/app/users.txt',
  '/app/users.segments/_tree.segment.rsc',
  '/APP/users',
  '/App/Users',
  '/app/users;x',
  '/app/users%3fx',
  '/app/users?_rsc=1',
  '/app/users?__nextDefaultLocale=en&nxtPtenantRef=shop',
  '/app/(signed-in)/users',
  '/(signed-in)/users',
  '/app/(.)users',
  '/_next/data/build/app/users.json',
  '/_next/data/app/users.json',
  '/_next/server/app/app/users/page.js',
  '/_next/static/../server/app/app/users/page.js',
  '/_next/../app/users',
  '/v1/../app/users',
  '/v1/%2e%2e/app/users',
  '/docs/../app/users',
  '\\app\\users',
];

/** Headers of requests that another site's page could send. `own` is the header that our pages add. */
export const forgedBy = (own: string, baseUrl: string): Record<string, string>[] => [
  {},
  { [own]: '1', origin: 'https://evil.example' },
  { [own]: '1', origin: 'null' },
  { [own]: '1', origin: `${baseUrl}.evil.example` },
  { [own]: '1', 'sec-fetch-site': 'cross-site' },
  { [own]: '1', 'sec-fetch-site': 'same-site' },
  {
    [own]: '1',
    origin: 'https://evil.example',
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
  },
];
