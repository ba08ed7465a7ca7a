import type { IssueSeverity } from '../fhir/outcome.ts';
import type { Attachment, ResourceType } from '../model/model.ts';
import type { Finding, FindingPlace, Weigh } from './profile/findings.ts';

/** What a rule that is broken does: nothing, a report, a refusal. */
export type Policy = NonNullable<ResourceType['validationPolicy']>;

/** Where a resource is checked, which decides where the definitions do not. */
export type Occasion = 'create' | 'load';

export interface Judging {
  readonly occasion: Occasion;
  /** True where attachments are kept apart already, so that they are missing from the record itself. */
  readonly keptApart?: boolean;
}

/** The `validation-policy` of a type, of the whole interface, or what goes without saying: enforce on create, warn on `load`. */
export const policyOf = ({ validationPolicy }: Pick<ResourceType, 'validationPolicy'>, occasion: Occasion): Policy =>
  validationPolicy ?? (occasion === 'create' ? 'enforce' : 'warn');

/**
 * How much findings about a resource of a type count. Errors of R4 itself and of profiles are refused, told as warnings, or left
 * out, as the policy says; those of a profile that is marked `incomplete` are told at most, since it may ask what the
 * published one does not. What the type's own profile asks of the structure is refused whatever the policy.
 */
export function weighing(type: JudgedType, { occasion, keptApart = false }: Judging): Weigh {
  const policy = policyOf(type, occasion);
  const own = type.profile?.replace(/\|.*/s, '');
  const apart = keptApart ? type.attachment?.path : undefined;
  const size = sizeBeside(type.attachment);
  return (finding, place) => {
    if (isApart(finding, place.expression, apart)) return undefined;
    if (isOfStandIn(finding, place.expression, size)) return undefined;
    if (finding.profile === own && own !== undefined && isStructural(finding)) return finding.severity;
    return severityUnder(policy, finding, place, occasion);
  };
}

/** As the rules themselves say; with `keptApart` the attachments of a record that is here are there, although it shows none. */
export function asItSays({ attachment }: Pick<ResourceType, 'attachment'>, keptApart: boolean): Weigh {
  const apart = keptApart ? attachment?.path : undefined;
  const size = sizeBeside(attachment);
  return (finding, { expression }) =>
    isApart(finding, expression, apart) || isOfStandIn(finding, expression, size) ? undefined : finding.severity;
}

/** Where the size of an attachment stands. */
const sizeBeside = (attachment: Attachment | undefined): string | undefined =>
  attachment?.path.replace(/[^.]*$/, 'size');

/** Something short stands there for the content; the size of that is looked at where it is decoded. */
const isOfStandIn = ({ rule }: Finding, expression: string, size: string | undefined): boolean =>
  rule === 'Attachment.size' && withoutIndexes(expression) === size;

/** What lacks since it is kept apart from the record. */
const isApart = ({ code }: Finding, expression: string, apart: string | undefined): boolean =>
  apart !== undefined && code === 'required' && withoutIndexes(expression) === apart;

type JudgedType = Pick<ResourceType, 'validationPolicy' | 'profile' | 'attachment'>;

function severityUnder(
  policy: Policy,
  finding: Finding,
  { incomplete }: FindingPlace,
  occasion: Occasion,
): IssueSeverity | undefined {
  // What could not be looked at within the budget is not known to be good.
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

/** Advice is for whoever reads an answer; of a load nobody would read it a million times. */
const adviceOn = (occasion: Occasion, { severity }: Finding): IssueSeverity | undefined =>
  occasion === 'load' ? undefined : severity;

/** True for what is about elements, types and values, and neither an invariant nor a binding. */
const isStructural = ({ code }: Finding): boolean => code !== 'invariant' && code !== 'code-invalid';

const withoutIndexes = (expression: string): string => expression.replace(/\[\d+\]/g, '');
