import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The Content-Security-Policy has a nonce for every answer: see proxy.ts. */
export default function config(): NextConfig {
  const everywhere = [
    { key: 'X-Content-Type-Options', value: 'nosniff' },
    { key: 'Referrer-Policy', value: 'no-referrer' },
  ];
  return {
    poweredByHeader: false,
    // No page asks for resized pictures: what nobody needs is not served (`/_next/image`).
    images: { unoptimized: true },
    // `npm run dev` prints 127.0.0.1; without this Next serves such pages but not what brings them to life.
    allowedDevOrigins: ['127.0.0.1'],
    // A ref may end in anything; a redirect would turn a PUT into a question.
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
    serverExternalPackages: ['@prisma/client', '@prisma/adapter-pg', 'pg', 'pino', 'prom-client'],
    // `npm run verify` checks types with the repository's own compiler.
    typescript: { ignoreBuildErrors: true },
    turbopack: { root: repository },
    outputFileTracingRoot: repository,
    async rewrites() {
      return {
        // Every page of the documentation also as Markdown.
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
        // /v1 answers with JSON and sets its own: what is matched here is worked out anew for every request.
        { source: '/((?!v1/).*)', headers: everywhere },
        // Pages of every origin load it, also as a module or with an integrity check.
        { source: '/embed.js', headers: [{ key: 'Access-Control-Allow-Origin', value: '*' }] },
        {
          source: '/((?!demo|app|embed|v1/).*)',
          headers: [{ key: 'Permissions-Policy', value: 'microphone=(), camera=(), geolocation=()' }],
        },
        // A page of elsewhere that opened the dashboard keeps no hold of its window.
        { source: '/app/:path*', headers: [{ key: 'Cross-Origin-Opener-Policy', value: 'same-origin' }] },
        {
          // Where one talks: the demo's phone, the dashboard, the embedded phone.
          source: '/:talking(demo|app|embed)/:path*',
          headers: [{ key: 'Permissions-Policy', value: 'microphone=(self), camera=(), geolocation=()' }],
        },
      ];
    },
  };
}
