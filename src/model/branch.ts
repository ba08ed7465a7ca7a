/**
 * The part of a search parameter's FHIRPath union that applies to one resource type: `Patient.name | Person.name` → for
 * Patient `Patient.name`. Parts that begin with a supertype (`Resource.id`) or without a type apply to every type.
 * Undefined if no part applies. https://hl7.org/fhir/R4/searchparameter-definitions.html#SearchParameter.expression
 */
export function branchFor(
  expression: string,
  type: { readonly name: string; readonly supertypes: readonly string[] },
  resourceTypes: ReadonlySet<string>,
): string | undefined {
  const applies = (part: string): boolean => {
    const named = rootsOf(part).filter(root => resourceTypes.has(root) || abstractTypes.has(root));
    return named.length === 0 || named.some(root => root === type.name || type.supertypes.includes(root));
  };
  const parts = splitUnion(expression).filter(applies);
  return parts.length === 0 ? undefined : parts.join(' | ');
}

/** The operands of the outermost `|`: not those inside parentheses, brackets or quotes. */
export function splitUnion(expression: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote: string | undefined;
  let start = 0;
  for (let index = 0; index < expression.length; index++) {
    const character = expression[index] ?? '';
    if (quote !== undefined) {
      if (character === '\\') index++;
      else if (character === quote) quote = undefined;
    } else if (character === "'" || character === '"' || character === '`') quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === '|' && depth === 0) {
      parts.push(expression.slice(start, index).trim());
      start = index + 1;
    }
  }
  return [...parts, expression.slice(start).trim()];
}

const abstractTypes = new Set(['Resource', 'DomainResource']);

/**
 * The types with which a part begins; a part in parentheses may be a union again: `(Patient.name | Person.name).given`.
 */
function rootsOf(part: string, depth = 0): readonly string[] {
  if (depth > 50) return []; // it does not compile, which is reported then
  if (!part.startsWith('(')) return [/^\w+/.exec(part)?.[0] ?? ''];
  const close = closingParenthesis(part);
  return splitUnion(part.slice(1, close)).flatMap(inner => rootsOf(inner, depth + 1));
}

function closingParenthesis(part: string): number {
  let depth = 0;
  for (let index = 0; index < part.length; index++) {
    if (part[index] === '(') depth++;
    else if (part[index] === ')' && --depth === 0) return index;
  }
  return part.length;
}
