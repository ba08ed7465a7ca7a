import type { Definition } from '../definitions/definition.ts';
import { asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { ReportAt } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import type { SearchParamType } from './model.ts';
import { quotedCodes } from './interactions.ts';

const parameterTypes = [
  'number',
  'date',
  'string',
  'token',
  'reference',
  'composite',
  'quantity',
  'uri',
  'special',
] as const satisfies readonly SearchParamType[];

export const isParameterType = (type: unknown): type is SearchParamType => parameterTypes.some(one => one === type);

/** The mistake in the `type` of a SearchParameter; undefined for a valid one. */
export function typeProblem({ type }: JsonObject): string | undefined {
  if (isParameterType(type)) return undefined;
  const offer = `The types are ${quotedCodes(parameterTypes)}.`;
  if (type === undefined) return `The SearchParameter has no \`type\`; write its type of search. ${offer}`;
  const written = typeof type === 'string' ? type : JSON.stringify(type);
  return `\`${written}\` is not a type of search parameter.${didYouMean(written, parameterTypes)} ${offer}`;
}

/** The mistake in the `code` of a SearchParameter; undefined for a valid one. */
export function codeProblem({ code }: JsonObject): string | undefined {
  if (typeof code !== 'string')
    return 'The SearchParameter has no `code`; write the name by which clients search, such as `"code": "license"`.';
  if (/^[-_A-Za-z][-_A-Za-z0-9]*$/.test(code)) return undefined;
  return `\`${code}\` cannot be used in a search: a \`code\` has letters, digits, \`-\` and \`_\` only.`;
}

/**
 * Reports SearchParameters in single files that no type could use, also if no type names them: by their base, type and
 * code. https://hl7.org/fhir/R4/searchparameter-definitions.html
 */
export function checkParameterHeads(parameters: readonly Definition[], types: TypeDefinitions, report: ReportAt): void {
  for (const definition of parameters) {
    const json = definition.resource();
    const here = { definition, path: '', json };
    const [type, code] = [typeProblem(json), codeProblem(json)];
    if (type !== undefined) report(here, 'type', type);
    if (code !== undefined) report(here, 'code', code);
    const { base } = json;
    if (typeof base === 'string') report(here, 'base', `\`base\` is a list; write \`"base": ["${base}"]\`.`);
    else if (!Array.isArray(base) || base.length === 0) report(here, 'base', noBase(json, types));
    else
      base.forEach((name: unknown, index) => {
        const text = asString(name) ?? '';
        if (types.get(text)?.kind === 'resource') return;
        const hint = didYouMean(text, types.resourceTypes);
        report(here, `base[${index}]`, `\`${text}\` is not a resource type of FHIR R4.${hint}`);
      });
  }
}

/** The expression most likely begins with the missing type. */
function noBase({ expression }: JsonObject, types: TypeDefinitions): string {
  const text = 'The SearchParameter has no `base`; write the resource types that can be searched by it';
  const [first = ''] = /^[A-Z][A-Za-z]*/.exec(asString(expression) ?? '') ?? [];
  return types.get(first)?.kind === 'resource' ? `${text}, such as \`"base": ["${first}"]\`.` : `${text}, as a list.`;
}
