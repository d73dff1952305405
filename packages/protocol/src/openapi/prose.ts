/** What holds for every endpoint, in words, and the headers they share. */

export const introduction = [
  'Server to server. Everything is scoped to the account of the API key; what belongs to another account is 404.',
  'Request fields are snake_case, response fields camelCase. Entities are addressed by your own refs. Texts are trimmed, and a blank text or a null counts as left out, except where a field says what null does. Enum values are taken in any case and answered in upper case. Unknown request fields and query parameters are ignored.',
  'PUT creates or replaces: a field that is left out goes back to its default, unless its description says that it is kept.',
  'The API grows by adding fields, enum values, endpoints and event types: ignore those you do not know.',
  'Errors have one shape, `{ error: { code, message, details? } }`; a 400 about one field names it in `details.field`.',
].join('\n\n');

const integer = { type: 'integer', minimum: 0 };

export const headers = {
  'X-Request-Id': {
    description: 'Names this request in our logs. Say it when you ask about one.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-RateLimit-Limit': { description: 'Requests that a minute has for the account.', schema: integer },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: integer },
  'X-RateLimit-Reset': { description: 'When the next minute begins, in unix seconds.', schema: integer },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: integer },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

export const parameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the same key with the same request answers what the first one answered and runs nothing twice. Keys are kept for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '6f1c0d3e-8a52-4c0b-b1de-3d1f6f2a9c47',
  },
} as const;
