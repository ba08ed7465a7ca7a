import { within } from '../../definitions/definition.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { printProblem } from '../../definitions/problem.ts';
import type { Problem } from '../../definitions/problem.ts';
import type { Model } from '../../model/model.ts';
import { checkProfile } from './check-profile.ts';
import { isPlain } from './profile.ts';
import type { Loaded } from './profile.ts';

/**
 * The mistakes in profiles. In a single file they prevent the start; in a package, where only the profiles that
 * types name are checked, they are warnings. Undecidable questions are warnings in a single file, and ignored in a
 * package. https://hl7.org/fhir/R4/profiling.html
 */
export function checkProfiles(
  definitions: Definitions,
  model: Pick<Model, 'types' | 'definitions' | 'snapshot'>,
): { readonly problems: readonly Problem[]; readonly warnings: readonly string[] } {
  const loaded: Loaded = {
    types: model.definitions,
    snapshots: canonical => model.snapshot(canonical),
    has: (resourceType, canonical) => definitions.find(resourceType, canonical) !== undefined,
    urls: resourceType => definitions.all(resourceType).map(({ url }) => url),
  };
  const named = new Set(
    [...model.types.values()]
      .flatMap(({ profile, supportedProfiles }) => [profile ?? '', ...supportedProfiles])
      .map(canonical => definitions.find('StructureDefinition', canonical)),
  );
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const definition of definitions.all('StructureDefinition')) {
    const isOurs = isPlain(definition);
    if (!isOurs && (definition.core || !named.has(definition))) continue;
    const canonical = canonicalOf(definition);
    // A profile without anything to check is useless to the type that names it.
    const stops = isOurs || model.snapshot(canonical)?.elements.length === 0;
    for (const { path, text, undecided } of checkProfile(definition.resource(), canonical, loaded)) {
      const problem = { file: definition.file, path: within(definition, path), text };
      if (stops && !undecided) problems.push(problem);
      else if (isOurs || !undecided) warnings.push(printProblem(problem));
    }
  }
  return { problems, warnings };
}

const canonicalOf = ({ url, version }: Definition): string => (version === undefined ? url : `${url}|${version}`);
