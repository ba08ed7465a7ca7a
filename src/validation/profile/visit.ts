import { isObject, stringsOf } from '../../fhir/json-object.ts';
import { datatypeRules } from './datatype-rules.ts';
import { checkExtension } from './extension.ts';
import { validateAgainst } from './conform.ts';
import type { Finding } from './findings.ts';
import { contextOf } from './resource-context.ts';
import { shorten } from '../report.ts';
import type { RequiredProfile, Walk } from './walk.ts';
import { childrenOf } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { checkResource } from './resource-rules.ts';

/** Deeper than the parser allows. */
const deepest = 200;

/**
 * Validates a value and all below it against the base definitions, and resources against the profiles that they claim;
 * `around` is the parent of the value.
 */
export function visit(node: Node, walk: Walk, around?: Node): void {
  const { definition } = node;
  const { findings, budget, rulebook } = walk;
  if (definition === undefined || findings.path.length > deepest) return;
  if (definition.kind === 'resource' && node.element !== undefined) {
    enter(node, walk);
    return;
  }
  checkElement(node, walk);
  const base = rulebook.base(definition);
  for (const check of base.own) check(node, walk);
  const children = childrenOf(node, rulebook.types);
  budget.spend(1 + children.length);
  const { path } = findings;
  for (const child of children) {
    const { element, index } = child;
    if (element === undefined) continue; // every child has an element
    path.push(element.name);
    if (index >= 0) path.push(index);
    const checks = base.elements.get(element.name);
    if (checks !== undefined) for (const check of checks) check(child, walk);
    const rules = datatypeRules.get(child.code);
    if (rules !== undefined) for (const rule of rules) rule(child, walk);
    if (child.code === 'Extension') checkExtension(child, node, around, walk);
    if (child.definition?.kind !== 'primitive-type' || child.sibling !== undefined) visit(child, walk, node);
    if (index >= 0) path.pop();
    path.pop();
  }
}

/** A resource within another: contained, or in a Bundle or Parameters. */
function enter(node: Node, walk: Walk): void {
  const { context, conforming, ids } = walk;
  walk.context = contextOf(node, walk);
  walk.conforming = new Map(); // `#id` has another meaning here
  walk.ids = new Set();
  visitResource({ ...node, element: undefined, index: -1 }, walk);
  walk.conforming = conforming;
  walk.ids = ids;
  walk.context = context;
}

/**
 * A resource with the profiles that its `meta.profile` claims.
 * https://hl7.org/fhir/R4/resource-definitions.html#Meta.profile
 */
export function visitResource(node: Node, walk: Walk, more: readonly string[] = []): void {
  visit(node, walk);
  checkResource(node, walk);
  const meta = isObject(node.value) ? node.value['meta'] : undefined;
  const claimed = isObject(meta) ? stringsOf(meta['profile']) : [];
  const seen = new Set(claimed.slice(0, mostClaims));
  for (const canonical of seen) claim(node, canonical, walk, claimed.indexOf(canonical));
  const others = new Set(more.filter(canonical => !seen.has(canonical)));
  for (const canonical of others) claim(node, canonical, walk);
  for (const required of walk.rulebook.required(node, walk))
    if (!seen.has(required.profile) && !others.has(required.profile)) holdRequired(node, required, walk);
  if (claimed.length <= mostClaims) return;
  const text = `Only the first ${mostClaims} of the ${claimed.length} claimed profiles were checked.`;
  walk.findings.note({ severity: 'warning', code: 'too-costly', text, rule: 'meta.profile' });
}

/** A profile that a guide requires of the resource; a violation is reported with the reason of the check. */
function holdRequired(node: Node, { profile, advice, reason }: RequiredProfile, walk: Walk): void {
  const { findings } = walk;
  const broken = (): number =>
    findings.left + findings.issues.filter(({ severity }) => severity !== 'information').length;
  const before = broken();
  if (advice) findings.advice++;
  try {
    claim(node, profile, walk);
  } finally {
    if (advice) findings.advice--;
  }
  if (broken() === before) return;
  findings.note({ severity: 'information', code: 'informational', text: reason, profile, rule: `required ${profile}` });
}

/** Most claims that are checked; a resource has a few. */
const mostClaims = 50;

/** `index` is the position in `meta.profile`; undefined for a profile that the resource does not claim. */
function claim(node: Node, canonical: string, walk: Walk, index?: number): void {
  const { rulebook } = walk;
  const profile = rulebook.profile(canonical);
  const [problem] = rulebook.problems(canonical);
  const name = canonical.slice(0, 200);
  if (profile === undefined) {
    const text = problem ?? `The profile \`${name}\` is not loaded.`;
    report(walk, index, {
      severity: 'warning',
      code: 'informational',
      text: `The profile was not checked. ${text}`,
      rule: `unknown ${name}`,
    });
    return;
  }
  if (profile.type !== node.code && !isBaseOf(profile.type, node, walk)) {
    const text = `\`${profile.url}\` is a profile of the type ${profile.type}, but this has the type ${node.code}.`;
    report(walk, index, { severity: 'error', code: 'structure', text, profile: profile.url, rule: 'meta.profile' });
    return;
  }
  if (problem !== undefined) {
    const text = `The profile was checked in part. ${problem}`;
    report(walk, index, {
      severity: 'warning',
      code: 'informational',
      text,
      profile: profile.url,
      rule: `problems ${name}`,
    });
  }
  validateAgainst(node, canonical, walk);
}

/**
 * Reports about the claim itself at its position; findings other than errors are reported once for the whole resource.
 */
function report({ findings }: Walk, index: number | undefined, finding: Finding): void {
  const { length } = findings.path;
  if (index !== undefined) findings.path.push('meta', 'profile', index);
  if (finding.severity === 'error') findings.add(finding);
  else findings.note(finding);
  findings.path.length = length;
}

function isBaseOf(type: string, node: Node, { rulebook }: Walk): boolean {
  for (let name = node.definition?.base; name !== undefined; name = rulebook.types.get(name)?.base)
    if (name === type) return true;
  return false;
}

/**
 * An id is unique in its resource (in its list for ElementDefinitions). `ele-1`: an element has a value or children, an
 * id alone is neither. https://hl7.org/fhir/R4/element.html
 */
function checkElement({ value, sibling, definition }: Node, { findings, ids }: Walk): void {
  const owner = definition?.kind === 'primitive-type' ? sibling : value;
  if (definition?.kind === 'resource' || !isObject(owner)) return;
  const { id } = owner;
  if (id === undefined) return;
  if (typeof id === 'string' && definition?.name !== 'ElementDefinition') {
    if (ids.has(id)) {
      const text = `Another element of the resource has the id \`${shorten(id)}\`.`;
      findings.add({ severity: 'error', code: 'value', text, rule: 'Element.id' });
    }
    ids.add(id);
  }
  if (definition?.kind === 'primitive-type' && value !== undefined) return;
  for (const name in owner) if (name !== 'id' && name !== '_id') return;
  const text = 'All FHIR elements must have a @value or children (ele-1).';
  findings.add({ severity: 'error', code: 'invariant', text, rule: 'ele-1' });
}
