import { compareVersions } from '../definitions/definitions.ts';
import { parseCanonical } from '../fhir/reference.ts';

/** What a call says about the versions of systems. https://hl7.org/fhir/R4/valueset-operation-expand.html */
export interface VersionRules {
  /** The version of a system that is used where a value set, or a code, states `stated` or none. */
  versionOf(url: string, stated: string | undefined): string | undefined;
  /** Why a version may not be used, as a part of a sentence; undefined if it may. */
  problemOf(url: string, version: string | undefined): string | undefined;
  /** The version of `force-system-version`. */
  forced(url: string): string | undefined;
}

/** Canonicals with versions: `system-version`, `check-system-version`, `force-system-version`. */
export interface GivenVersions {
  readonly defaults: readonly string[];
  readonly checks: readonly string[];
  readonly forced: readonly string[];
}

/** The rules of a call; undefined without any. */
export function versionRules({ defaults, checks, forced }: GivenVersions): VersionRules | undefined {
  if (defaults.length + checks.length + forced.length === 0) return undefined;
  const [byDefault, byCheck, byForce] = [defaults, checks, forced].map(byUrl);
  return {
    versionOf: (url, stated) => byForce?.get(url) ?? stated ?? byDefault?.get(url),
    problemOf(url, version) {
      const wanted = byCheck?.get(url);
      if (wanted === undefined || matchesVersion(version, wanted)) return undefined;
      const used = version === undefined ? 'no version' : `the version \`${version}\``;
      return `${used} of \`${url}\` is used, and \`check-system-version\` requires \`${wanted}\``;
    },
    forced: url => byForce?.get(url),
  };
}

const byUrl = (canonicals: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    canonicals.flatMap(one => {
      const { url, version } = parseCanonical(one);
      return version === undefined ? [] : [[url, version] as const];
    }),
  );

/** Whether a version is the wanted one; `1.0.x`, `1.*` and `*` stand for any part, or for all further ones. */
export function matchesVersion(version: string | undefined, wanted: string): boolean {
  if (version === wanted || wanted === '*') return true;
  if (version === undefined || !/(^|\.)[xX*]($|\.)/.test(wanted)) return false;
  const [parts, pattern] = [version.split('.'), wanted.split('.')];
  const isOpen = pattern.at(-1) === '*';
  if (isOpen ? parts.length < pattern.length : parts.length !== pattern.length) return false;
  return pattern.every((part, at) => /^[xX*]$/.test(part) || part === parts[at]);
}

/** The one with the newest version; undefined for none. */
export const newest = <Versioned extends { readonly version: string | undefined }>(
  all: readonly Versioned[],
): Versioned | undefined =>
  all.reduce<Versioned | undefined>(
    (best, one) => (best === undefined || compareVersions(one.version, best.version) > 0 ? one : best),
    undefined,
  );
