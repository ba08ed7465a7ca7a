import { isA } from '../../fhirpath/result-type.ts';
import { TooCostly } from '../../fhirpath/evaluate/errors.ts';
import { Findings, Full } from './findings.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Walk } from './walk.ts';

/**
 * Whether a value conforms to a profile, without findings; undefined if the profile is not loaded. Results are cached,
 * since many paths may lead to one value, except for those that assume their own result.
 */
export function conformsTo(node: Node, canonical: string, walk: Walk): boolean | undefined {
  const profile = walk.rulebook.profile(canonical);
  if (profile === undefined) return undefined;
  if (!isA(node.code, profile.type, walk.rulebook.types)) return false;
  const kept = walk.conforming.get(node.value);
  const known = kept?.get(profile.url);
  if (known !== undefined) return known;
  const { findings, assumptions, context, conforming, ids } = walk;
  walk.budget.spend(costOfTrial);
  if (walk.trials >= mostTrials) throw new TooCostly();
  walk.findings = new Findings(20, [...findings.path]);
  walk.trials++;
  try {
    try {
      validateAgainst(node, canonical, walk);
    } catch (error) {
      if (!(error instanceof Full)) throw error;
      Object.assign(walk, { context, conforming, ids }); // the trial may have ended within another resource
    }
    const conforms = !walk.findings.failed;
    if (walk.assumptions === assumptions)
      walk.conforming.set(node.value, (kept ?? new Map<string, boolean>()).set(profile.url, conforms));
    return conforms;
  } finally {
    walk.findings = findings;
    walk.trials--;
  }
}

/** Most nested trials: chains of references may be long, the stack is not. */
const mostTrials = 50;

/** Cost of a trial in the budget, as a number of visited values. */
const costOfTrial = 20;

/**
 * Validates a value against a profile; a value that is being validated against the same profile counts as conforming,
 * so that cycles end.
 */
export function validateAgainst(node: Node, canonical: string, walk: Walk): void {
  const profile = walk.rulebook.profile(canonical);
  if (profile === undefined) return;
  const running = walk.running.get(node.value) ?? new Set();
  if (running.has(profile.url)) {
    walk.assumptions++;
    return;
  }
  walk.running.set(node.value, running.add(profile.url));
  walk.budget.spend(1);
  const { findings } = walk;
  const { incomplete } = profile.snapshot;
  if (incomplete) findings.incomplete++;
  try {
    profile.check(node, walk);
  } finally {
    if (incomplete) findings.incomplete--;
    running.delete(profile.url);
    if (running.size === 0) walk.running.delete(node.value);
  }
}
