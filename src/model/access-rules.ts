import { didYouMean } from '../fhir/suggest.ts';
import { extensions } from './definition-nodes.ts';
import type { DefinitionNode } from './definition-nodes.ts';
import { partsOf, textOf } from './extensions.ts';
import type { ResourceType, SearchParam } from './model.ts';
import type { CompileContext } from './context.ts';

/**
 * The owners of resources of the type, and the criteria that restrict access. Without an `access-link` a resource
 * belongs to the patient that its parameter `patient`, else `subject`, names; the compartment's own resource belongs to
 * itself.
 */
export function compileAccess(
  typeName: string,
  nodes: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  context: CompileContext,
): {
  readonly links: ResourceType['accessLinks'];
  readonly criteria: ResourceType['accessCriteria'];
  /** The parameters of the links. */
  readonly owners: readonly SearchParam[];
} {
  const given = extensions(nodes, 'access-link');
  const found =
    given.length === 0
      ? defaultLink(typeName, nodes, own, context)
      : given.flatMap(node => readLink(typeName, node, own, context));
  return {
    links: found.map(({ compartment, param }) => Object.freeze({ compartment, parameter: param.code })),
    owners: [...new Map(found.map(({ param }) => [param.code, param])).values()],
    criteria: extensions(nodes, 'access-criteria').map(node => readCriteria(typeName, node, own, context)),
  };
}

interface Link {
  readonly compartment: string;
  readonly param: SearchParam;
}

/** The compartment of a link without one. https://hl7.org/fhir/R4/compartmentdefinition-patient.html */
export const defaultCompartment = 'http://hl7.org/fhir/CompartmentDefinition/patient';

/** The parameters that link a record without an `access-link`; the first that leads to the compartment counts. */
export const defaultLinkCodes = ['patient', 'subject'] as const;

const defaultCode = ({ compartments }: CompileContext): string | undefined =>
  [...compartments.values()].find(({ url }) => url === defaultCompartment)?.code;

function defaultLink(
  typeName: string,
  nodes: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  context: CompileContext,
): readonly Link[] {
  const { parameters } = context;
  const [node] = nodes;
  const compartment = defaultCode(context);
  if (typeName === compartment || compartment === undefined || node === undefined) return [];
  for (const code of defaultLinkCodes) {
    const param =
      own.get(code) ??
      (parameters.codes(typeName).includes(code) ? parameters.officialByCode(code, typeName, node, 'type') : undefined);
    if (param !== undefined && leadsTo(param, compartment)) return [{ compartment, param }];
  }
  return [];
}

function readLink(
  typeName: string,
  node: DefinitionNode,
  own: ReadonlyMap<string, SearchParam>,
  context: CompileContext,
): readonly Link[] {
  const { compartments, parameters, report } = context;
  const [compartmentPart] = partsOf(node.json, 'compartment');
  const [parameterPart] = partsOf(node.json, 'parameter');
  const compartment = textOf(compartmentPart?.json) ?? defaultCode(context) ?? '';
  const code = textOf(parameterPart?.json);
  if (code === undefined) return []; // reported with the extension
  if (!compartments.has(compartment)) {
    report(
      node,
      `${compartmentPart?.path ?? ''}.valueCode`,
      `No CompartmentDefinition with the code \`${compartment}\` is ` +
        `loaded.${didYouMean(compartment, compartments.keys())}`,
    );
    return [];
  }
  const at = `${parameterPart?.path ?? ''}.valueCode`;
  const param = own.get(code) ?? parameters.officialByCode(code, typeName, node, at);
  if (param === undefined) {
    if (!parameters.codes(typeName).includes(code))
      report(
        node,
        at,
        `No SearchParameter \`${code}\` of ${typeName} is loaded.${didYouMean(code, parameters.codes(typeName))}`,
      );
    return [];
  }
  if (!leadsTo(param, compartment)) {
    report(node, at, `The parameter \`${code}\` of ${typeName} never leads to a ${compartment}.`);
    return [];
  }
  return [{ compartment, param }];
}

const leadsTo = ({ type, targets }: SearchParam, compartment: string): boolean =>
  type === 'reference' && (targets.length === 0 || targets.includes(compartment));

function readCriteria(
  typeName: string,
  node: DefinitionNode,
  own: ReadonlyMap<string, SearchParam>,
  { report }: CompileContext,
): { readonly context: string; readonly criteria: string } {
  const [criteriaPart] = partsOf(node.json, 'criteria');
  const criteria = textOf(criteriaPart?.json) ?? '';
  const at = `${criteriaPart?.path ?? ''}.valueString`;
  for (const pair of criteria.split('&')) {
    const code = /^[^=:.]+/.exec(pair)?.[0] ?? '';
    if (!own.has(code) && code !== '_id' && code !== '_lastUpdated')
      report(
        node,
        at,
        `${typeName} neither offers a parameter \`${code}\` nor has it ` +
          `\`indexed-only\`.${didYouMean(code, own.keys())}`,
      );
  }
  for (const [placeholder] of criteria.matchAll(/\{[^}]*\}?/g))
    if (placeholder !== '{fhirUser}' && placeholder !== '{clientId}')
      report(node, at, `\`${placeholder}\` is not a placeholder; use \`{fhirUser}\` or \`{clientId}\`.`);
  return Object.freeze({ context: textOf(partsOf(node.json, 'context')[0]?.json) ?? '', criteria });
}
