import { tokenMisplaced } from '../../auth/refusals.ts';
import { badValue, fhirError } from '../../fhir/error.ts';
import type { Handling } from '../../interaction/prefer.ts';
import type { QueryPair } from '../../search/request.ts';
import { readBody } from '../body/body.ts';
import type { BodyLimits } from '../body/body.ts';
import type { Context } from '../context.ts';
import { negotiate } from './negotiate.ts';
import type { Route } from '../../interaction/interaction.ts';
import { parsePairs } from '../../search/parse/pairs.ts';

/**
 * The parameters of URL and form together; a promise only for a form. Throws FhirError.
 * https://hl7.org/fhir/R4/http.html#parameters
 */
export function readPairs(
  context: Context,
  { interaction }: Route,
  base: string,
  limits: BodyLimits,
): readonly QueryPair[] | Promise<readonly QueryPair[]> {
  const given = parsePairs(context.state.query);
  const isForm = (interaction === 'search-type' || interaction === 'search-system') && context.method === 'POST';
  return isForm
    ? readForm(context, limits).then(form => withoutToken([...given, ...form], base))
    : withoutToken(given, base);
}

/** Whether `_pretty` requests indented JSON, with or without `=true`. Throws FhirError. */
export const prettyOf = (pairs: readonly QueryPair[], handling: Handling): boolean =>
  isPretty(single(pairs, '_pretty', handling, 'true'));

/** The Content-Type that `_format` or else Accept requests. Throws FhirError for an unsupported one. */
export const contentTypeOf = (pairs: readonly QueryPair[], handling: Handling, accept: string | undefined): string =>
  negotiate(accept, single(pairs, '_format', handling));

/** The parameters for the interaction, without those for the form of the answer. */
export const withoutForm = (pairs: readonly QueryPair[]): readonly QueryPair[] =>
  pairs.filter(([name]) => name !== '_pretty' && name !== '_format');

/**
 * A token in a URL or a form ends up in logs and is not accepted there.
 * https://www.rfc-editor.org/rfc/rfc6750#section-5.3
 */
function withoutToken(pairs: readonly QueryPair[], realm: string): readonly QueryPair[] {
  if (pairs.some(([name]) => name === 'access_token')) {
    throw tokenMisplaced(realm, 'A token is accepted in the header Authorization only, never in a URL or a body.');
  }
  return pairs;
}

/** The form of a search by POST. https://hl7.org/fhir/R4/http.html#search */
async function readForm({ req, res }: Context, limits: BodyLimits): Promise<readonly QueryPair[]> {
  const type = req.headers['content-type'];
  const empty = req.headers['transfer-encoding'] === undefined && (req.headers['content-length'] ?? '0') === '0';
  if (empty && type === undefined) return [];
  if (!isFormType(type)) {
    const given = type === undefined ? 'no Content-Type' : `\`Content-Type: ${type}\``;
    const text = `A search by POST requires an \`application/x-www-form-urlencoded\` body in UTF-8, not ${given}.`;
    throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
  }
  const body = await readBody(req, res, limits);
  try {
    return parsePairs(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch (error) {
    if (error instanceof TypeError) throw fhirError(400, 'value', 'The form body is not valid UTF-8.');
    throw error;
  }
}

function isFormType(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  const charset =
    parameters
      .find(parameter => parameter.startsWith('charset='))
      ?.slice(8)
      .replaceAll('"', '') ?? 'utf-8';
  return type === 'application/x-www-form-urlencoded' && (charset === 'utf-8' || charset === 'utf8');
}

/** The one value of a control parameter; `flag` is the meaning of its name alone, if it has one. */
function single(pairs: readonly QueryPair[], name: string, handling: Handling, flag?: string): string | undefined {
  const [first, second] = pairs.filter(([given]) => given === name);
  if (second !== undefined) throw badValue(name, `\`${name}\` is repeated; send it once.`);
  if (first?.[1] !== '') return first?.[1];
  if (flag !== undefined) return flag;
  if (handling === 'lenient') return undefined;
  throw badValue(name, `\`${name}\` has no value; give it one or omit it.`);
}

function isPretty(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false') {
    throw badValue('_pretty', `\`_pretty=${text}\` is neither \`true\` nor \`false\`.`);
  }
  return text === 'true';
}
