/** The HTTP response of an endpoint whose answer is a file. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { File } from '@clarion/protocol/v1/file-answer';

/** Anything else could end the header's value, or a name on the disk of the person who saves the file. */
const FILE_NAME = /^[A-Za-z0-9][\w.-]*$/;

export function fileResponse(
  { path, answer }: EndpointDefinition,
  status: number,
  { contentType, fileName, content }: File,
  headers: Record<string, string>,
): Response {
  if (!answer.file?.includes(contentType) || !FILE_NAME.test(fileName))
    throw new Error(`${path} must not return ${contentType} named ${fileName}`);
  const length = lengthOf(content);
  return new Response(content, {
    status,
    headers: {
      ...headers,
      'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(length !== null && { 'content-length': String(length) }),
    },
  });
}

/** Null: a stream. */
function lengthOf(content: File['content']): number | null {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content instanceof Uint8Array ? content.byteLength : null;
}
