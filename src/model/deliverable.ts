import { asString, stringsOf } from '../fhir/json-object.ts';
import { servedPatchFormats } from '../fhir/media-type.ts';
import { texts } from './definition-nodes.ts';
import type { ReportAt, DefinitionNode } from './definition-nodes.ts';
import type { TypeInteraction } from '../fhir/interaction.ts';
import { quotedCodes } from './interactions.ts';

/**
 * Reports declarations of a type, apart from its interactions, that this server does not implement: `/metadata` would
 * promise them. https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource
 */
export function checkTypePromises(
  nodes: readonly DefinitionNode[],
  interactions: ReadonlySet<TypeInteraction>,
  report: ReportAt,
): void {
  for (const node of nodes) {
    const { json } = node;
    const needs = (element: string, code: TypeInteraction, isDeclared: boolean): void => {
      if (!isDeclared || interactions.has(code)) return;
      report(node, element, `\`${element}\` needs the interaction \`${code}\`; declare it, or remove it.`);
    };
    needs('updateCreate', 'update', json['updateCreate'] === true);
    needs('readHistory', 'vread', json['readHistory'] === true);
    const isChanged = interactions.has('update') || interactions.has('patch');
    if (json['versioning'] === 'versioned-update' && !isChanged) report(node, 'versioning', noVersionedUpdate);
    const needsBoth = (element: string, code: TypeInteraction, isDeclared: boolean): void => {
      const isThere = interactions.has(code) || (code === 'update' && isChanged);
      if (!isDeclared || (isThere && interactions.has('search-type'))) return;
      const both = `\`${code}\` and \`search-type\``;
      report(node, element, `\`${element}\` needs the interactions ${both}; declare them, or remove it.`);
    };
    needsBoth('conditionalCreate', 'create', json['conditionalCreate'] === true);
    needsBoth('conditionalUpdate', 'update', json['conditionalUpdate'] === true);
    needsBoth('conditionalDelete', 'delete', isSupported(json['conditionalDelete']));
    needs('conditionalRead', 'read', isSupported(json['conditionalRead']));
    for (const element of ['searchInclude', 'searchRevInclude'])
      needs(element, 'search-type', json[element] !== undefined);
  }
  for (const { text, ...node } of texts(nodes, 'referencePolicy')) {
    if (text === 'resolves') report(node, '', 'References by identifier are not resolved; remove `resolves`.');
    if (text === 'enforced' && !(['create', 'update', 'patch'] as const).some(code => interactions.has(code)))
      report(node, '', '`enforced` needs the interaction `create` or `update`; declare one, or remove it.');
  }
}

const noVersionedUpdate = '`versioned-update` needs the interaction `update`; declare it, or write `versioned`.';

const isSupported = (code: unknown): boolean => asString(code) !== undefined && code !== 'not-supported';

/**
 * Reports declarations of a whole statement that this server does not implement; `isPatched` if a type declares patch.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.format
 */
export function checkStatementPromises(statement: DefinitionNode, isPatched: boolean, report: ReportAt): void {
  const { json } = statement;
  stringsOf(json['format']).forEach((format, index) => {
    if (/turtle|ttl/i.test(format))
      report(
        statement,
        `format[${index}]`,
        `\`${format}\` is not served; resources are \`application/fhir+json\` and \`application/fhir+xml\`.`,
      );
  });
  if (json['patchFormat'] !== undefined && !isPatched)
    report(
      statement,
      'patchFormat',
      '`patchFormat` needs the interaction `patch` on a type; declare it, or remove it.',
    );
  stringsOf(json['patchFormat']).forEach((format, index) => {
    if (!servedPatchFormats.includes(format)) report(statement, `patchFormat[${index}]`, noPatchFormat(format));
  });
  for (const [element, text] of Object.entries(unserved))
    if (json[element] !== undefined) report(statement, element, text);
}

const noPatchFormat = (format: string): string =>
  `\`${format}\` is not served; patches are ${quotedCodes(servedPatchFormats)}.`;

const unserved: Readonly<Record<string, string>> = {
  messaging: 'Messages are not served; remove `messaging`.',
  document: 'The exchange of documents is not served; remove `document`.',
  imports: 'Imported statements are not read; remove `imports`, and declare what they declare.',
};
