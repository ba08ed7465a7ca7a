import type { Questions } from '../../fhirpath/delegate/questions.ts';
import type { Findings } from './findings.ts';
import type { Budget } from '../../fhirpath/evaluate/environment.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Kit } from './kit.ts';
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
