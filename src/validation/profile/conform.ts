import { Findings } from './findings.ts';
import type { Node } from './fhirpath/node.ts';
import type { Walk } from './walk.ts';

/** Whether a value meets a profile, without telling why not; undefined where the profile is not loaded. */
export function conformsTo(node: Node, canonical: string, walk: Walk): boolean | undefined {
  const profile = walk.kit.profile(canonical);
  if (profile === undefined) return undefined;
  const { findings } = walk;
  walk.findings = new Findings(20, [...findings.path]);
  try {
    holdAgainst(node, canonical, walk);
    return !walk.findings.failed;
  } finally {
    walk.findings = findings;
  }
}

/** Holds a value against a profile; one that is being held against the same already is taken as good, so that circles end. */
export function holdAgainst(node: Node, canonical: string, walk: Walk): void {
  const profile = walk.kit.profile(canonical);
  if (profile === undefined) return;
  const running = walk.running.get(node.value) ?? new Set();
  if (running.has(profile.url)) return;
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
