import { fhirError } from '../../fhir/error.ts';
import type { QueryPair } from '../request.ts';

/**
 * The pairs of a query string or of a form body, decoded, in order: `+` is a space, empty items are skipped. Throws
 * FhirError 400 for invalid escapes and for bytes that are not UTF-8. https://url.spec.whatwg.org/#urlencoded-parsing
 */
export function parsePairs(text: string): QueryPair[] {
  if (text === '') return [];
  const pairs: QueryPair[] = [];
  for (const item of text.split('&')) {
    if (item === '') continue;
    const equals = item.indexOf('=');
    const name = decodeFormPart(equals === -1 ? item : item.slice(0, equals));
    pairs.push([name, equals === -1 ? '' : decodeFormPart(item.slice(equals + 1), name)]);
  }
  return pairs;
}

/**
 * A part of a URL, percent-decoded, or the value of a parameter; throws FhirError 400 for a broken escape or bytes that
 * are not UTF-8.
 */
export function percentDecode(text: string, parameter?: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)?.[0];
    throw fhirError(
      400,
      'value',
      escape === undefined
        ? 'The percent-escapes are not UTF-8. Encode names and values as UTF-8 before escaping them.'
        : `\`${escape}\` is not a percent-escape: write \`%\` and two hexadecimal digits, and \`%25\` for ` +
            'a percent sign.',
      parameter === undefined ? undefined : `http.${parameter}`,
    );
  }
}

const decodeFormPart = (text: string, parameter?: string): string =>
  percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text, parameter);
