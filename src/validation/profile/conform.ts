import { isA } from '../../fhirpath/result-type.ts';
import { TooCostly } from '../../fhirpath/evaluate/errors.ts';
import { Findings } from './findings.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Walk } from './walk.ts';

/**
 * Whether a value meets a profile, without telling why not; undefined where the profile is not loaded. Many ways may lead to one
 * value, so what was found is kept, unless a circle had part in it.
 */
export function conformsTo(node: Node, canonical: string, walk: Walk): boolean | undefined {
  const profile = walk.kit.profile(canonical);
  if (profile === undefined) return undefined;
  if (!isA(node.code, profile.type, walk.kit.types)) return false;
  const kept = walk.conforming.get(node.value);
  const known = kept?.get(profile.url);
  if (known !== undefined) return known;
  const { findings, assumptions } = walk;
  walk.budget.spend(costOfTrial);
  if (walk.trials >= mostTrials) throw new TooCostly();
  walk.findings = new Findings(20, [...findings.path]);
  walk.trials++;
  try {
    holdAgainst(node, canonical, walk);
    const conforms = !walk.findings.failed;
    if (walk.assumptions === assumptions) walk.conforming.set(node.value, (kept ?? new Map<string, boolean>()).set(profile.url, conforms)); // prettier-ignore
    return conforms;
  } finally {
    walk.findings = findings;
    walk.trials--;
  }
}

/** References may lead on for as long as there are resources and profiles, and the stack does not. */
const mostTrials = 50;

/** As many looks at values as it takes the time of. */
const costOfTrial = 20;

/** Holds a value against a profile; one that is being held against the same already is taken as good, so that circles end. */
export function holdAgainst(node: Node, canonical: string, walk: Walk): void {
  const profile = walk.kit.profile(canonical);
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
