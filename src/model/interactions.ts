import { didYouMean } from '../fhir/suggest.ts';
import { items } from './declared.ts';
import type { ReportAt, Standing } from './declared.ts';

/**
 * The interactions that the pieces declare, of those that are known at their level; `of` names the level in problems.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.interaction
 */
export function declaredInteractions<Code extends string>(
  pieces: readonly Standing[],
  known: readonly Code[],
  of: string,
  report: ReportAt,
): ReadonlySet<Code> {
  const found = new Set<Code>();
  for (const interaction of items(pieces, 'interaction')) {
    const code = known.find(one => one === interaction.json['code']);
    if (code !== undefined) {
      found.add(code);
      continue;
    }
    const given = String(interaction.json['code']);
    const all = known.map(one => `\`${one}\``).join(', ');
    report(interaction, 'code', `\`${given}\` is no interaction of ${of}.${didYouMean(given, known)} They are ${all}.`);
  }
  return found;
}
