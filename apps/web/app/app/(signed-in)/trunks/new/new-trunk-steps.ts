/** The steps of adding a trunk, and which step has which field of the API. */

export const stepTitles = ['Carrier', 'Connection', 'Inbound calls', 'Review'] as const;
export const CARRIER = 0;
export const CONNECTION = 1;
export const INBOUND = 2;
export const REVIEW = 3;

const fieldsOf: readonly (readonly string[])[] = [
  ['name', 'template_id'],
  ['host', 'port', 'transport', 'username', 'password', 'register'],
  ['inbound_source_cidrs', 'follow_template', 'country_code', 'national_prefix'],
  ['destinations', 'codecs', 'srtp', 'max_calls', 'calls_per_second', 'tech_prefixes', 'quirks'],
];

/** Undefined: no step shows the field, so its error is shown above all fields. */
export function stepOf(field: string): number | undefined {
  const step = fieldsOf.findIndex((names) => names.some((name) => isPart(field, name)));
  return step === -1 ? undefined : step;
}

const isPart = (field: string, name: string): boolean =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
