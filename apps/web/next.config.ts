import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';
import { PHASE_DEVELOPMENT_SERVER } from 'next/constants';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The Content-Security-Policy has a nonce for each response: see proxy.ts. */
export default function config(phase: string): NextConfig {
  const everywhere = [
    { key: 'X-Content-Type-Options', value: 'nosniff' },
    { key: 'Referrer-Policy', value: 'no-referrer' },
  ];
  return {
    poweredByHeader: false,
    // No page uses resized images, so `/_next/image` is disabled.
    images: { unoptimized: true },
    // `npm run dev` prints 127.0.0.1; without this Next serves pages there, but not their development scripts.
    allowedDevOrigins: ['127.0.0.1'],
    // A ref may end with a slash, which a redirect would remove.
    skipTrailingSlashRedirect: true,
    transpilePackages: [
      '@clarion/core',
      '@clarion/db',
      '@clarion/docs',
      '@clarion/phone',
      '@clarion/protocol',
      '@clarion/sdk',
      '@clarion/store',
      '@clarion/ui',
    ],
    // Loaded from node_modules. Everything else is compiled into the file of each route, and all of these files stay in memory: undici and
    // libphonenumber-js alone took 80 MB that way.
    serverExternalPackages: [
      '@modelcontextprotocol/server',
      '@prisma/client',
      '@prisma/adapter-pg',
      'csv-parse',
      'ipaddr.js',
      'jose',
      'libphonenumber-js',
      'pdfkit',
      'pg',
      'pg-copy-streams',
      'pino',
      'prom-client',
      'undici',
      'web-push',
      'zod',
    ],
    experimental: {
      // Loading every route at the start takes half a second of CPU and 85 MB, while agents reconnect (docs/decisions/sockets-behind-next.md).
      preloadEntriesOnStart: false,
      // No process reads the maps of built server files, which are larger than the files.
      turbopackSourceMaps: phase === PHASE_DEVELOPMENT_SERVER,
    },
    // `npm run verify` checks types with the repository's own compiler.
    typescript: { ignoreBuildErrors: true },
    turbopack: { root: repository },
    outputFileTracingRoot: repository,
    async rewrites() {
      return {
        // Each page of the documentation as Markdown.
        beforeFiles: [
          { source: '/docs/:name(.+)\\.md', destination: '/docs/markdown/:name' },
          { source: '/docs.md', destination: '/docs/markdown' },
        ],
        afterFiles: [],
        fallback: [],
      };
    },
    async headers() {
      return [
        // /v1 returns JSON and sets its own headers; a match here would cost time on every request.
        { source: '/((?!v1/).*)', headers: everywhere },
        // Loaded by pages of any origin, also as a module or with an integrity check.
        { source: '/embed.js', headers: [{ key: 'Access-Control-Allow-Origin', value: '*' }] },
        {
          source: '/((?!demo|app|embed|v1/).*)',
          headers: [{ key: 'Permissions-Policy', value: 'microphone=(), camera=(), geolocation=()' }],
        },
        // Another site's page that opened the dashboard has no access to its window.
        { source: '/app/:path*', headers: [{ key: 'Cross-Origin-Opener-Policy', value: 'same-origin' }] },
        {
          // Pages that use the microphone: the demo phone, the dashboard, the embedded phone.
          source: '/:talking(demo|app|embed)/:path*',
          headers: [{ key: 'Permissions-Policy', value: 'microphone=(self), camera=(), geolocation=()' }],
        },
      ];
    },
  };
}
