/** The 404 of a planned endpoint whose path also has endpoints that exist. */
export const notBuilt = (): Response => new Response('Not Found', { status: 404 });
