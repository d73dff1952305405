import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The build settings of apps/web without its own code. */
const config = {
  poweredByHeader: false,
  transpilePackages: ['@clarion/db', '@clarion/protocol'],
  serverExternalPackages: ['@prisma/client', '@prisma/adapter-pg', 'pg'],
  turbopack: { root: repository },
  outputFileTracingRoot: repository,
};

export default config;
