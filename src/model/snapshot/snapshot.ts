import type { JsonObject } from '../../fhir/json-object.ts';

/** All elements of a StructureDefinition. https://hl7.org/fhir/R4/profiling.html#snapshot */
export interface Snapshot {
  /** Canonical url, without version. */
  readonly url: string;
  /** The FHIR type that it constrains or defines. */
  readonly type: string;
  /** The StructureDefinition, as it was read. */
  readonly structure: JsonObject;
  readonly elements: readonly JsonObject[];
  /** The parts of the differential that could not be applied; empty for a published snapshot. */
  readonly problems: readonly SnapshotProblem[];
}

export interface SnapshotProblem {
  /** Id of the element. */
  readonly element: string;
  /** A whole sentence. */
  readonly text: string;
  /** True if a definition is missing that could make the element right. */
  readonly undecided?: boolean;
}

/** One line that names the profile and its element. */
export const printSnapshotProblem = (canonical: string, { element, text }: SnapshotProblem): string =>
  `The differential of \`${canonical}\` cannot be applied at \`${element}\`: ${text}`;

/** Finds the snapshot of a canonical or of a type by its name; undefined if it is not loaded. */
export type FindSnapshot = (canonical: string) => Snapshot | undefined;
