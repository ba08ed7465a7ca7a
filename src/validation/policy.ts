import type { IssueSeverity } from '../fhir/outcome.ts';
import type { Attachment, ResourceType } from '../model/model.ts';
import { unitRule } from './profile/coding.ts';
import type { Finding, FindingPlace, Weigh } from './profile/findings.ts';

/** The effect of a violated rule: none, a report, or a rejection. */
export type Policy = NonNullable<ResourceType['validationPolicy']>;

/** The occasion of a validation, which decides if the definitions do not. */
export type Occasion = 'create' | 'load';

export interface SeverityContext {
  readonly occasion: Occasion;
  /** True if attachments are stored outside of the record and are therefore missing from it. */
  readonly keptApart?: boolean;
}

/** The `validation-policy` of a type, else of the server, else the default: enforce on create, warn on `load`. */
export const policyOf = ({ validationPolicy }: Pick<ResourceType, 'validationPolicy'>, occasion: Occasion): Policy =>
  validationPolicy ?? (occasion === 'create' ? 'enforce' : 'warn');

/**
 * The severity of findings about a resource of a type. By the policy, errors of R4 itself and of profiles are rejected,
 * reported as warnings, or omitted; those of a profile that is marked `incomplete` are reported at most, since it may
 * require what the published one does not. The structural rules of the type's own profile are always enforced.
 */
export function severityFor(type: JudgedType, { occasion, keptApart = false }: SeverityContext): Weigh {
  const policy = policyOf(type, occasion);
  const own = type.profile?.replace(/\|.*/s, '');
  const apart = keptApart ? type.attachment?.path : undefined;
  const holder = holderOf(type.attachment);
  return (finding, place) => {
    if (isApart(finding, place.expression, apart)) return undefined;
    if (isOfStandIn(finding, place.expression, holder)) return undefined;
    if (finding.profile === own && own !== undefined && isStructural(finding)) return finding.severity;
    return severityUnder(policy, finding, place, occasion);
  };
}

/** The severity of the rule itself; with `keptApart` the attachments of a stored record count as present. */
export function severityOfRule({ attachment }: Pick<ResourceType, 'attachment'>, keptApart: boolean): Weigh {
  const apart = keptApart ? attachment?.path : undefined;
  const holder = holderOf(attachment);
  return (finding, { expression }) =>
    isApart(finding, expression, apart) || isOfStandIn(finding, expression, holder) ? undefined : finding.severity;
}

/** The path of the object that has an attachment. */
const holderOf = (attachment: Attachment | undefined): string | undefined =>
  attachment === undefined ? undefined : ownerOf(attachment.path);

const ownerOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));

/** A short placeholder replaces the content; its size and hash are checked where it is decoded. */
const isOfStandIn = ({ rule }: Finding, expression: string, owner: string | undefined): boolean =>
  (rule === 'Attachment.size' || rule === 'Attachment.hash') && ownerOf(withoutIndexes(expression)) === owner;

/** The finding reports a missing element that is stored outside of the record. */
const isApart = ({ code }: Finding, expression: string, apart: string | undefined): boolean =>
  apart !== undefined && code === 'required' && withoutIndexes(expression) === apart;

type JudgedType = Pick<ResourceType, 'validationPolicy' | 'profile' | 'attachment'>;

function severityUnder(
  policy: Policy,
  given: Finding,
  { incomplete }: FindingPlace,
  occasion: Occasion,
): IssueSeverity | undefined {
  const finding = given.rule === unitRule ? { ...given, severity: 'warning' as const } : given;
  // A rule that the budget left unchecked is not known to be met.
  const unchecked = finding.code === 'too-costly';
  const broken = finding.severity === 'error' || unchecked;
  switch (policy) {
    case 'off':
      return undefined;
    case 'warn':
      return broken ? 'warning' : adviceOn(occasion, finding);
    case 'enforce':
      return broken ? (incomplete && !unchecked ? 'warning' : 'error') : adviceOn(occasion, finding);
    default:
      return policy satisfies never;
  }
}

/** Advice is useful in an answer; in a load it would be repeated a million times. */
const adviceOn = (occasion: Occasion, { severity }: Finding): IssueSeverity | undefined =>
  occasion === 'load' ? undefined : severity;

/** True for findings about elements, types and values, which are neither invariants nor bindings. */
const isStructural = ({ code }: Finding): boolean => code !== 'invariant' && code !== 'code-invalid';

const withoutIndexes = (expression: string): string => expression.replace(/\[\d+\]/g, '');
