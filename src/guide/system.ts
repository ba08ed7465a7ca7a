import type { Definitions } from '../definitions/definitions.ts';
import { systemInteractions } from '../fhir/interaction.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { controls } from '../model/offered.ts';
import { expectationOf, expectationOfValue, isUnwanted } from './expectation.ts';
import { everywhere } from './parameters.ts';
import type { GuideParameters, LeaveOut } from './parameters.ts';

/**
 * The elements of `rest` beside its resources, as a declaration of this server: the parameters that the guide has for
 * every type, and the compartments of declared types. `searched` is a type on which these parameters are tried.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest
 */
export function declareSystem(
  rests: readonly JsonObject[],
  { definitions, parameters, names, searched }: SystemContext,
  leaveOut: LeaveOut,
): JsonObject {
  for (const rest of rests) {
    for (const list of ['interaction', 'operation'])
      for (const item of objectsOf(rest[list]))
        leaveOut(
          ofSystem,
          `\`${String(item['code'] ?? item['name'])}\``,
          notOfSystem(item['code']),
          expectationOf(item),
        );
    if (rest['security'] !== undefined)
      leaveOut(ofSystem, '`security`', 'It is made from the settings of access when the server runs.');
  }
  const named = rests
    .flatMap(rest => objectsOf(rest['searchParam']))
    .filter(({ name }) => !controls.has(String(name)) && !everywhere.has(String(name)))
    .filter(item => {
      const expectation = expectationOf(item);
      if (isUnwanted(expectation)) leaveOut(ofSystem, `the parameter \`${String(item['name'])}\``, says(expectation));
      return !isUnwanted(expectation);
    });
  const compartment = rests.flatMap(rest =>
    stringsOf(rest['compartment']).filter(url => {
      const code = asString(definitions.find('CompartmentDefinition', url)?.resource()['code']);
      if (code !== undefined && names.includes(code)) return true;
      const why =
        code === undefined
          ? 'No CompartmentDefinition with this url is loaded.'
          : `It is that of ${code}, which is not declared.`;
      leaveOut(ofSystem, `the compartment \`${url}\``, why, expectationOfValue(rest, 'compartment', url));
      return false;
    }),
  );
  return {
    searchParam: [...everywhere.values(), ...(searched === undefined ? [] : parameters.named(searched, named))],
    compartment: [...new Set(compartment)],
  };
}

interface SystemContext {
  readonly definitions: Definitions;
  readonly parameters: GuideParameters;
  /** The declared types. */
  readonly names: readonly string[];
  readonly searched: string | undefined;
}

/** Reports the elements of a guide's whole statement that a declaration of this server does not have. */
export function leaveOutOfStatement(guide: JsonObject, isPatched: boolean, leaveOut: LeaveOut): void {
  for (const element of ['format', ...(isPatched ? [] : ['patchFormat'])])
    for (const format of stringsOf(guide[element])) {
      if (element === 'format' && /json|xml/i.test(format)) continue;
      const why = element === 'format' ? 'Resources are JSON and XML.' : 'No type has the interaction `patch`.';
      leaveOut(ofStatement, `\`${element}\` ${format}`, why, expectationOfValue(guide, element, format));
    }
  for (const url of stringsOf(guide['implementationGuide']))
    leaveOut(
      ofStatement,
      `\`implementationGuide\` ${url}`,
      'Declare it if this server implements that guide.',
      expectationOfValue(guide, 'implementationGuide', url),
    );
  for (const element of ['messaging', 'document', 'imports'])
    if (guide[element] !== undefined) leaveOut(ofStatement, `\`${element}\``, 'It is not served.');
  const prose = ['publisher', 'contact', 'useContext', 'jurisdiction', 'purpose', 'copyright', 'documentation'];
  const rests = objectsOf(guide['rest']);
  const nodes = [...rests, ...rests.flatMap(rest => objectsOf(rest['resource'])), guide];
  const there = prose.filter(element => nodes.some(node => node[element] !== undefined));
  if (there.length > 0)
    leaveOut(ofStatement, there.map(element => `\`${element}\``).join(', '), 'The guide says it of itself.');
}

const ofSystem = 'the system';
const ofStatement = 'the statement';

const says = (expectation: string | undefined): string =>
  `The guide says ${expectation}; declare it if clients should have it.`;

/** Interactions of the system go beyond the types that are declared, so that only the operator declares them. */
const notOfSystem = (code: unknown): string =>
  systemInteractions.some(known => known === code)
    ? 'Declare it in `rest.interaction` if clients should have it.'
    : 'It is not declared automatically; declare it in `rest.operation` if this server supports it.';
