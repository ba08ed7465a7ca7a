import { fhirVersion, mostSpecific, rangesOf } from '../../fhir/accept.ts';
import { badValue, fhirError } from '../../fhir/error.ts';
import { tokenMisplaced } from '../../auth/refusals.ts';
import type { Handling } from '../../interaction/interaction.ts';
import type { QueryPair } from '../../search/request.ts';
import { readSearchForm } from '../body/form.ts';
import type { BodyLimits } from '../body/body.ts';
import type { Context } from '../context.ts';
import type { Route } from '../../interaction/interaction.ts';
import { parsePairs } from '../../search/parse/pairs.ts';

/** The names of the two formats, those that are answered first first. https://hl7.org/fhir/R4/http.html#mime-type */
const [fhirJson, plainJson] = ['application/fhir+json', 'application/json'];
const [fhirXml, plainXml, textXml] = ['application/fhir+xml', 'application/xml', 'text/xml'];

/** Values of `_format`, with the type of the answer. https://hl7.org/fhir/R4/http.html#parameters */
const formats: ReadonlyMap<string, string> = new Map([
  ['json', fhirJson],
  [fhirJson, fhirJson],
  ['application/fhir json', fhirJson], // an unescaped plus is a space in a query
  [plainJson, plainJson],
  ['text/json', plainJson],
  ['application/json+fhir', fhirJson], // the name before release 3
  ['application/json fhir', fhirJson],
  ['xml', fhirXml],
  [fhirXml, fhirXml],
  ['application/fhir xml', fhirXml],
  [plainXml, plainXml],
  [textXml, textXml],
  ['application/xml+fhir', fhirXml],
  ['application/xml fhir', fhirXml],
]);

/**
 * The Content-Type of the answer, from `_format` (which wins) or Accept: q-values, lists and wildcards as in RFC 9110,
 * with `fhirVersion=4.0` if it is requested. Throws FhirError 406 if no requested type is supported.
 * https://hl7.org/fhir/R4/http.html#mime-type
 */
export function negotiate(accept: string | undefined, format?: string): string {
  if (format !== undefined) return byFormat(format);
  if (accept === undefined || accept.trim() === '') return contentType(fhirJson, false);
  const known = remembered.get(accept);
  if (known !== undefined) return known;
  const found = byAccept(accept);
  if (remembered.size < 100 && accept.length < 200) remembered.set(accept, found);
  return found;
}

/** The type of answers without negotiation. */
export const defaultContentType = contentType(fhirJson, false);

/**
 * The Content-Type of an answer to a request that was rejected before its parameters were read: what it asks for, and
 * JSON if that is not clear.
 */
export function earlyContentType(accept: string | undefined, query: string | undefined): string {
  try {
    return negotiate(accept, new URLSearchParams(query).get('_format') ?? undefined);
  } catch {
    return defaultContentType;
  }
}

/** Whether a Content-Type of `negotiate` is XML. */
export const isXml = (type: string): boolean => type.includes('xml');

// Clients send few different Accept headers, each with every request.
const remembered = new Map<string, string>();

function contentType(type: string, versioned: boolean): string {
  return `${type}${versioned ? '; fhirVersion=4.0' : ''}; charset=utf-8`;
}

function byFormat(format: string): string {
  const [name = '', ...parameters] = format.split(';').map(part => part.trim());
  const type = formats.get(name.toLowerCase());
  const version = fhirVersion(parameters);
  if (type !== undefined && (version === undefined || version === '4.0'))
    return contentType(type, version !== undefined);
  throw notAcceptable(`\`_format=${format}\` is not supported`, 'http._format');
}

function byAccept(accept: string): string {
  const ranges = rangesOf(accept);
  let best: { type: string; quality: number; exact: boolean; versioned: boolean } | undefined;
  // Browsers name XML before anything else, and mean pages.
  const isBrowser = ranges.some(({ type }) => type === 'text/html');
  for (const type of isBrowser ? [fhirJson, plainJson, fhirXml] : [fhirJson, plainJson, fhirXml, plainXml, textXml]) {
    const range = mostSpecific(ranges, type);
    if (range === undefined || range.quality === 0) continue;
    const exact = range.type === type;
    const better =
      best === undefined || range.quality > best.quality || (range.quality === best.quality && exact && !best.exact);
    if (better) best = { type, quality: range.quality, exact, versioned: range.versioned };
  }
  if (best === undefined) throw notAcceptable(`No type of \`Accept: ${accept}\` is supported`, 'http.Accept');
  return contentType(best.type, best.versioned);
}

/**
 * Whether an Accept header names a type of FHIR, or one that means it: not the generic types of XML, which browsers
 * name, and which documents such as those of CDA have.
 */
export const namesFhir = (accept: string | undefined): boolean =>
  accept !== undefined && accept.split(',').some(text => named.has(text.split(';')[0]?.trim().toLowerCase() ?? ''));

const named: ReadonlySet<string> = new Set([
  fhirJson,
  plainJson,
  'application/json+fhir',
  'text/json',
  fhirXml,
  'application/xml+fhir',
  'application/fhir+turtle',
]);

const notAcceptable = (what: string, expression: string) =>
  fhirError(
    406,
    'not-supported',
    `${what}: answers are JSON or XML of FHIR 4.0 (\`${fhirJson}\`, \`${plainJson}\`, \`${fhirXml}\`, ` +
      `\`${plainXml}\`, \`${textXml}\`, \`_format=json\` or \`_format=xml\`).`,
    expression,
  );

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
    ? readSearchForm(context.req, context.res, limits).then(form => withoutToken([...given, ...form], base))
    : withoutToken(given, base);
}

/** Whether `_pretty` requests indented JSON, with or without `=true`. Throws FhirError. */
export const prettyOf = (pairs: readonly QueryPair[], handling: Handling): boolean =>
  isPretty(single(pairs, '_pretty', handling, 'true'));

/** The Content-Type that `_format` or else Accept requests. Throws FhirError for an unsupported one. */
export const contentTypeOf = (pairs: readonly QueryPair[], handling: Handling, accept: string | undefined): string =>
  negotiate(accept, single(pairs, '_format', handling));

/** The parameters for the interaction, without those for the form of the answer, but for a format of its own. */
export const withoutForm = (pairs: readonly QueryPair[], ownFormat: boolean): readonly QueryPair[] =>
  pairs.filter(([name]) => name !== '_pretty' && (ownFormat || name !== '_format'));

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
