import { serveMcp } from '../../lib/mcp/endpoint.ts';

export const dynamic = 'force-dynamic';

export { serveMcp as DELETE, serveMcp as GET, serveMcp as POST };
