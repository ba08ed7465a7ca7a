import type { Definitions } from './definitions.ts';
import type { Package } from './package.ts';

/**
 * References of packages that are not loaded: packages, value sets of required and extensible bindings, extensions. One
 * notice for each package that lacks some; validation skips them. Definitions of R4 itself count as loaded. Another
 * notice for each package that is needed in another version, or loaded in two. https://hl7.org/fhir/R4/profiling.html
 */
export function checkPackages(packages: readonly Package[], definitions: Definitions): readonly string[] {
  const versions = Map.groupBy(packages.map(split), ({ name }) => name);
  const here = (resourceType: string, canonical: string): boolean =>
    ofR4.test(canonical) || definitions.find(resourceType, canonical) !== undefined;
  return [
    ...packages.flatMap(({ name, dependencies, valueSets, extensions }) => {
      const needed = [...dependencies].filter(([other]) => !isBase.test(other));
      const missing = [
        several(
          needed.filter(([other]) => !versions.has(other)).map(([other]) => other),
          'package',
        ),
        several(
          valueSets.filter(canonical => !here('ValueSet', canonical)),
          'value set',
        ),
        several(
          extensions.filter(canonical => !here('StructureDefinition', canonical)),
          'extension',
        ),
      ].filter(text => text !== undefined);
      const otherwise = needed.flatMap(([other, wanted]) => {
        const found = versions.get(other) ?? [];
        if (found.length === 0 || found.some(({ version }) => satisfies(version, wanted))) return [];
        return [`${name} needs ${other} in version ${wanted}; ${listed(found)} is loaded and used instead.`];
      });
      return [
        ...(missing.length === 0 ? [] : [`${name} references definitions that are not loaded: ${missing.join('; ')}.`]),
        ...otherwise,
      ];
    }),
    ...[...versions.values()]
      .filter(found => new Set(found.map(({ version }) => version)).size > 1)
      .map(found => `${listed(found)} are both loaded; a canonical without version means the newest of its url.`),
  ];
}

interface Version {
  readonly name: string;
  readonly version: string;
}

function split({ name }: Package): Version {
  const at = name.lastIndexOf('@');
  return at < 0 ? { name, version: '' } : { name: name.slice(0, at), version: name.slice(at + 1) };
}

const listed = (found: readonly Version[]): string =>
  [...new Set(found.map(({ name, version }) => `${name}@${version}`))].join(' and ');

/**
 * Whether a version satisfies a dependency: `6.1.0`, or `6.1.x` for any patch of it. A dependency without a number
 * (`current`, `latest`, `dev`) or with a range of npm's accepts any.
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification
 */
function satisfies(version: string, wanted: string): boolean {
  if (!/^\d/.test(wanted) || /[\s|<>=]/.test(wanted)) return true;
  const parts = version.split('.');
  const named = wanted.split('.');
  const open = named.findIndex(part => part === 'x' || part === 'X' || part === '*');
  return open < 0 ? version === wanted : named.slice(0, open).every((part, at) => part === parts[at]);
}

/** Packages that this server includes. */
const isBase = /^hl7\.fhir\.r4\.|^hl7\.terminology/;

const ofR4 = /^http:\/\/(hl7\.org\/fhir|terminology\.hl7\.org)\/(ValueSet|StructureDefinition)\//;

/** `2 extensions (a, b)`; at most three are listed. */
function several(found: readonly string[], noun: string): string | undefined {
  const distinct = [...new Set(found)].sort((a, b) => (a < b ? -1 : 1));
  if (distinct.length === 0) return undefined;
  const more = distinct.length > 3 ? ', …' : '';
  return `${distinct.length} ${noun}${distinct.length === 1 ? '' : 's'} (${distinct.slice(0, 3).join(', ')}${more})`;
}
