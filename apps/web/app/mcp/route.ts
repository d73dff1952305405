import { createMcpEndpoint } from '#lib/mcp/endpoint.ts';
import { handlers } from '../v1/handlers.ts';

export const dynamic = 'force-dynamic';

const serve = createMcpEndpoint(handlers);
export { serve as DELETE, serve as GET, serve as POST };
