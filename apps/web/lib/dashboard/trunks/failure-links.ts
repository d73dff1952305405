/** Which field of a trunk's form decides about a failure of the catalogue. */

/** The field names of a trunk's settings that the catalogue refers to, and what to do there. */
const fields: Record<string, string> = {
  host: 'Edit the host',
  port: 'Edit the port',
  transport: 'Edit the transport',
  username: 'Edit the credentials',
  password: 'Edit the credentials',
  inbound_source_cidrs: 'Edit the source addresses',
  country_code: 'Edit the number form',
  tech_prefixes: 'Edit the tech prefixes',
  codecs: 'Edit the codecs',
  srtp: 'Edit the encryption',
  max_calls: 'Edit the limits',
  calls_per_second: 'Edit the limits',
  quirks: 'Edit the carrier settings',
};

/** Null: the form of the trunk has no such field. */
export const fieldLabel = (field: string | null): string | null =>
  field === null ? null : (fields[field.split('.')[0] ?? ''] ?? null);
