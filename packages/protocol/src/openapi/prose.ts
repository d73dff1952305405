/** The introduction of the document, and the headers and parameters that endpoints share. */

export const introduction = [
  'The Management API is for server-to-server use. Every request is scoped to the account of its API key; resources of other accounts return 404.',
  'Request fields are in snake_case and response fields are in camelCase. Entities are addressed by your own refs. Strings are trimmed. A blank string or null counts as omitted, unless the description of the field defines what null means. Enum values are case-insensitive in requests and uppercase in responses. Unknown request fields and query parameters are ignored.',
  'PUT creates or replaces an entity. An omitted field is reset to its default, unless its description says that it is kept.',
  'New fields, enum values, endpoints and event types may be added at any time. Ignore those that your code does not know.',
  'Every error has the shape `{ error: { code, message, details? } }`, except those of the WhatsApp ingress, which are a status without a body. A 400 about a single field names it in `details.field`.',
].join('\n\n');

const integer = { type: 'integer', minimum: 0 };

export const headers = {
  'X-Request-Id': {
    description:
      "The ID of this request in the service's logs. Include it when you contact the operator about a request.",
    schema: { type: 'string', format: 'uuid' },
  },
  'X-RateLimit-Limit': {
    description: 'The number of requests per minute that the account may send.',
    schema: integer,
  },
  'X-RateLimit-Remaining': {
    description: 'The number of requests left in the current minute.',
    schema: integer,
  },
  'X-RateLimit-Reset': {
    description: 'When the next minute begins, as a Unix timestamp in seconds.',
    schema: integer,
  },
  'Retry-After': { description: 'The number of seconds to wait before retrying.', schema: integer },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

export const parameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: repeating a request with the same key returns the first response without running the request again. Keys are kept for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '6f1c0d3e-8a52-4c0b-b1de-3d1f6f2a9c47',
  },
} as const;
