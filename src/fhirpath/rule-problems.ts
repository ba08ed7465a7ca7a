import type { TypeDefinitions } from '../model/element.ts';
import type { Job } from './delegate/job.ts';
import { runNow } from './delegate/now.ts';
import { compileRule } from './evaluate/rule.ts';
import type { KnownType, Problem, RuleContext } from './problems.ts';

/**
 * All mistakes in the expression of a rule: invalid FHIRPath; unknown functions, variables, types and elements; and
 * functions that neither this server nor fhirpath.js evaluates. For the last, fhirpath.js runs in a thread, for which
 * this one waits.
 */
export function ruleProblems(text: string, types: TypeDefinitions, context: RuleContext): readonly Problem[] {
  const rule = compileRule(text, types, context);
  if (rule.kind === 'refused') return rule.problems;
  if (rule.kind === 'compiled') return [];
  const [answer] = runNow([onNothing(text, context.context?.[0])]);
  const [, name] = answer?.kind === 'failed' ? (/^Not implemented: (\w+)$/.exec(answer.message) ?? []) : [];
  if (name === undefined) return []; // it fails on a value without content, which proves nothing
  const at = text.search(new RegExp(`\\b${name}\\s*\\(`));
  return [
    { at: Math.max(0, at), message: `Neither this server nor fhirpath.js evaluates \`${name}()\`.`, undecided: true },
  ];
}

/** An expression on an empty value. */
function onNothing(expression: string, known: KnownType | undefined): Job {
  const resource = { resourceType: 'Basic' };
  const { code = 'Basic', definition } = known ?? {};
  const value =
    definition?.kind === 'resource' ? { resourceType: code } : definition?.kind === 'primitive-type' ? '' : {};
  const focus = known === undefined ? resource : value;
  const type = definition?.name ?? code;
  return { expression, focus: { value: focus, code, type }, resource, rootResource: resource, resolve: 'contained' };
}
