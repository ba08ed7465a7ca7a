import { didYouMean } from '../fhir/suggest.ts';
import { items } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';

/**
 * The implemented interactions of R4: `interaction/dispatch.ts` implements exactly these. A definition that declares
 * another one prevents the start. https://hl7.org/fhir/R4/http.html
 */
export const servedInteractions = [
  'batch',
  'create',
  'delete',
  'history-instance',
  'history-system',
  'history-type',
  'patch',
  'read',
  'search-system',
  'search-type',
  'transaction',
  'update',
  'vread',
] as const;

export type ServedInteraction = (typeof servedInteractions)[number];

/** `` `create`, `read` ``, for problems. */
export const quotedCodes = (codes: readonly string[]): string => codes.map(code => `\`${code}\``).join(', ');

/**
 * The declared interactions among those of their level; `of` names the level in problems. An interaction that this
 * server does not serve is a problem.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.interaction
 */
export function declaredInteractions<Code extends string>(
  pieces: readonly DefinitionNode[],
  known: readonly Code[],
  of: string,
  report: ReportAt,
): ReadonlySet<Code> {
  const found = new Set<Code>();
  const served = known.filter(code => servedInteractions.some(one => one === code)).toSorted();
  const offer = `${quotedCodes(served)} ${served.length === 1 ? 'is' : 'are'}`;
  for (const interaction of items(pieces, 'interaction')) {
    const code = known.find(one => one === interaction.json['code']);
    if (code !== undefined) {
      found.add(code);
      if (!served.includes(code))
        report(interaction, 'code', `\`${code}\` is not served yet; remove it. On ${of} ${offer} served.`);
      continue;
    }
    const given = String(interaction.json['code']);
    const hint = didYouMean(given, known);
    report(interaction, 'code', `\`${given}\` is not an interaction of ${of}.${hint} They are ${quotedCodes(known)}.`);
  }
  return found;
}
