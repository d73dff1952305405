/** Errors of the API at the fields of a trunk's form. */
import { formErrors, withoutFieldName } from '../edit/error-messages.ts';
import { RequestProblem } from '../request.ts';

/** The names of the form's fields. */
const FIELDS =
  /^(?:name|template_id|host|port|transport|register|username|password|inbound_source_cidrs|follow_template|country_code|national_prefix|codecs|srtp|max_calls|calls_per_second|tech_prefixes\.(?:inbound|outbound|redirect)|destinations\[\d+\]\.(?:host|port|priority|weight)|quirks\.\w+)$/;
const SOURCE = /^inbound_source_cidrs\[(\d+)\]$/;

/** `sources`: the addresses as they were sent, because the form shows them as one text. */
export function trunkErrors(problem: unknown, sources: readonly string[]): Record<string, string> {
  const field = problem instanceof RequestProblem ? (problem.details?.field ?? '') : '';
  const source = sources[Number(SOURCE.exec(field)?.[1] ?? Number.NaN)];
  if (problem instanceof RequestProblem && source !== undefined) {
    const rest = withoutFieldName(problem.message, field);
    const named = rest.startsWith(source)
      ? rest
      : `${source} ${rest.charAt(0).toLowerCase()}${rest.slice(1)}`;
    return { inbound_source_cidrs: named };
  }
  return formErrors(problem, (name) => FIELDS.test(name));
}
