import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { Evaluate } from '../../fhirpath/evaluate/environment.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import type { FindRequired } from './required-profiles.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/** What checks are compiled with and look up while they run; everything in it is compiled once. */
export interface Kit {
  readonly types: TypeDefinitions;
  snapshot(canonical: string): Snapshot | undefined;
  /** The element tree of a base type; of a backbone element by its path (`Patient.contact`). */
  baseTree(name: string): Tree | undefined;
  /** What R4 asks of the values of a type and of each of its elements. */
  base(definition: TypeDefinition): BaseChecks;
  /** What a profile asks beyond R4; undefined where it is not loaded. */
  profile(canonical: string): ProfileChecks | undefined;
  /** What of the differential of a loaded profile cannot be followed, so that nothing is held to it; sentences. */
  problems(canonical: string): readonly string[];
  /** A compiled expression; undefined where it is wrong or only fhirpath.js runs it. */
  expression(text: string): Evaluate | undefined;
  /** An expression that is to hold for values of the type of a node. */
  rule(text: string, node: Node): Rule;
  /** The profiles that implementation guides ask of a resource. */
  readonly required: FindRequired;
  /** Visits a value and all below it with the base checks. */
  readonly visit: ValueCheck;
}

export interface BaseChecks {
  readonly own: readonly ValueCheck[];
  /** By element name. */
  readonly elements: ReadonlyMap<string, readonly ValueCheck[]>;
}

export interface ProfileChecks {
  readonly url: string;
  readonly type: string;
  readonly snapshot: Snapshot;
  readonly check: ValueCheck;
}
