/** For a planned endpoint whose path has others that are built: the 404 that it would get without them. */
export const notBuilt = (): Response => new Response('Not Found', { status: 404 });
