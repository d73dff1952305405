/** Plain-text responses for programs that read the documentation. They change only with a new version. */

const MAX_AGE_SECONDS = 300;

const text =
  (type: string) =>
  (body: string, status = 200) =>
    new Response(body, {
      status,
      headers: {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': status === 200 ? `public, max-age=${MAX_AGE_SECONDS}` : 'no-store',
      },
    });

export const markdown = text('text/markdown');
export const plain = text('text/plain');
