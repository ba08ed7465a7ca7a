import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { Evaluate } from '../../fhirpath/evaluate/environment.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tree } from './tree.ts';
import type { Questions } from '../../fhirpath/delegate/job.ts';
import type { Findings } from './findings.ts';
import type { Budget } from '../../fhirpath/evaluate/environment.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Terminology } from '../../terminology/bindings.ts';

/** The state of one validation: findings, position, and remaining budget. */
export interface Walk {
  findings: Findings;
  context: ResourceContext;
  readonly rulebook: Rulebook;
  /** The terminology of the rulebook, with the answers of a terminology server about this resource's codes. */
  readonly terminology: Terminology;
  readonly budget: Budget;
  /** The questions that are delegated to fhirpath.js. */
  readonly questions: Questions;
  /** Profiles that are being checked on a value, so that cycles of references end. */
  readonly running: Map<unknown, Set<string>>;
  /** Whether a value conforms to a profile, in the current resource. */
  conforming: Map<unknown, Map<string, boolean>>;
  /** Nesting depth of conformance trials. */
  trials: number;
  /** How often a value counted as conforming because it is being checked already. */
  assumptions: number;
  /** Ids of elements of the current resource. */
  ids: Set<string>;
  /** The targets of references, by the list that contains them and the text of the reference. */
  readonly targets: Map<unknown, Map<string, unknown>>;
}

/** The current resource. */
export interface ResourceContext {
  /**
   * `%resource` and `%rootResource`: they differ within a contained resource.
   * https://hl7.org/fhir/R4/fhirpath.html#variables
   */
  readonly resource: Node;
  readonly root: Node;
  /** The innermost Bundle around it. */
  readonly bundle: Node | undefined;
}

/** Checks one value; findings go to the walk. */
export type ValueCheck = (node: Node, walk: Walk) => void;

/** The dependencies of checks at compile time and at run time; all compiled once. */
export interface Rulebook {
  readonly types: TypeDefinitions;
  snapshot(canonical: string): Snapshot | undefined;
  /** The element tree of a base type; of a backbone element by its path (`Patient.contact`). */
  baseTree(name: string): Tree | undefined;
  /** The rules of R4 for the values of a type and of each of its elements. */
  base(definition: TypeDefinition): BaseChecks;
  /** The rules of a profile beyond R4; undefined if it is not loaded. */
  profile(canonical: string): ProfileChecks | undefined;
  /** The parts of the differential of a loaded profile that cannot be applied; sentences. */
  problems(canonical: string): readonly string[];
  /** A compiled expression; undefined if it is invalid or only fhirpath.js runs it. */
  expression(text: string): Evaluate | undefined;
  /** An expression that must be true for values of a node's type. */
  rule(text: string, node: Node): Rule;
  /** The profiles that implementation guides require of a resource. */
  readonly required: FindRequired;
  /** Visits a value and all below it with the base checks. */
  readonly visit: ValueCheck;
}

export interface BaseChecks {
  readonly own: readonly ValueCheck[];
  /** The checks by element name. */
  readonly elements: ReadonlyMap<string, readonly ValueCheck[]>;
}

export interface ProfileChecks {
  readonly url: string;
  readonly type: string;
  readonly snapshot: Snapshot;
  readonly check: ValueCheck;
}

/** A profile that an ImplementationGuide requires of a resource, which need not claim it. */
export interface RequiredProfile {
  readonly profile: string;
  /** True if violations are warnings. */
  readonly advice: boolean;
  /** Why it is checked on this resource; a sentence. */
  readonly reason: string;
}

export type FindRequired = (node: Node, walk: Walk) => readonly RequiredProfile[];

/** Runs a step one element further down. */
export function at(node: Node, walk: Walk, step: (node: Node, walk: Walk) => void): void {
  const { path } = walk.findings;
  const { element, index } = node;
  if (element !== undefined) path.push(element.name);
  if (index >= 0) path.push(index);
  step(node, walk);
  if (index >= 0) path.pop();
  if (element !== undefined) path.pop();
}
