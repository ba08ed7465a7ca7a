import type { JsonObject } from './json-object.ts';

/** One definition resource and where it was found; parsed only when it is asked for. */
export interface Definition {
  readonly resourceType: string;
  /** Canonical url, without version. */
  readonly url: string;
  readonly version: string | undefined;
  /** File or `package.tgz/entry` as people know it: relative to the checkout or as it was given. */
  readonly file: string;
  /** Place in the file: empty for the file itself, `entry[3].resource` in a Bundle. */
  readonly path: string;
  /** The package that it came in; undefined for a plain file. */
  readonly package: string | undefined;
  /** True for the reduced R4 pack, which gives way to anything. */
  readonly core: boolean;
  /** The resource type that a StructureDefinition makes, where it is not abstract and no profile. */
  readonly concrete: string | undefined;
  resource(): JsonObject;
}
