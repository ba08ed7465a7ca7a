import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { Evaluate } from '../../fhirpath/evaluate/environment.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tree } from './tree.ts';
import type { Questions } from '../../fhirpath/delegate/questions.ts';
import type { Findings } from './findings.ts';
import type { Budget } from '../../fhirpath/evaluate/environment.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Terminology } from './terminology.ts';

/** One validation: what was found so far, where it is, and what it may still cost. */
export interface Walk {
  findings: Findings;
  frame: Frame;
  readonly kit: Kit;
  /** That of the kit, with what a terminology server has said of this resource's codes. */
  readonly terminology: Terminology;
  readonly budget: Budget;
  /** What is left to fhirpath.js. */
  readonly questions: Questions;
  /** Profiles that are being held against a value, so that circles of references end. */
  readonly running: Map<unknown, Set<string>>;
  /** Whether a value meets a profile, of the resource that the walk is in. */
  conforming: Map<unknown, Map<string, boolean>>;
  /** How many trials of whether a value meets a profile are within each other. */
  trials: number;
  /** How often something was taken as good since it was being held against the same already. */
  assumptions: number;
  /** Ids of elements of the resource that the walk is in. */
  ids: Set<string>;
  /** What references may lead to, by the list that holds it and the text of the reference. */
  readonly targets: Map<unknown, Map<string, unknown>>;
}

/** The resource that the walk is in. */
export interface Frame {
  /** `%resource` and `%rootResource`: they differ within a contained resource. https://hl7.org/fhir/R4/fhirpath.html#variables */
  readonly resource: Node;
  readonly root: Node;
  /** The innermost Bundle around it. */
  readonly bundle: Node | undefined;
}

/** Looks at one value; what is wrong goes to the walk's findings. */
export type ValueCheck = (node: Node, walk: Walk) => void;

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

/** A profile that an ImplementationGuide asks of a resource, which need not claim it. */
export interface RequiredProfile {
  readonly profile: string;
  /** True where what breaks it is a warning. */
  readonly advice: boolean;
  /** Why it is held against this resource; a sentence. */
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
