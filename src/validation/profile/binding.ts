import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { shorten } from '../report.ts';
import exceptions from './binding-exceptions.json' with { type: 'json' };
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { ProfileSource } from './source.ts';
import type { Terminology } from '../../terminology/bindings.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck, Walk } from './walk.ts';

const maxValueSet = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

interface Binding {
  readonly strength: string;
  readonly valueSet: string;
  /** The maximum ValueSet, which also limits an extensible or preferred binding. */
  readonly most: string | undefined;
}

/**
 * Compiles a binding: a code outside of a required ValueSet is an error, of an extensible one a warning, of a preferred
 * one a note; example bindings are not checked. Questions that the loaded terminology cannot decide are reported as
 * information. https://hl7.org/fhir/R4/terminologies.html#strength
 */
export function compileBinding(tree: Tree, base: Tree | undefined, source: ProfileSource): ValueCheck | undefined {
  const binding = bindingOf(tree);
  if (binding === undefined) return undefined;
  const { strength, most } = binding;
  const given = base && bindingOf(base);
  if (given?.strength === strength && given.valueSet === binding.valueSet && given.most === most) return undefined;
  // A contained ValueSet is named relative to the definition.
  const valueSet = binding.valueSet.startsWith('#') ? source.url + binding.valueSet : binding.valueSet;
  const rule = `${source.id(tree.element)} binding`;
  return (node, walk) => {
    if (strength === 'required') {
      const held = check(node, walk, valueSet, 'error', source.url, rule);
      if (held && given?.strength === 'extensible') walk.findings.settle();
    } else {
      // A maximum limits the codes; a text alone is rejected under an extensible binding only, as by HL7's validator.
      const isLimited = strength === 'extensible' || codesOf(node)?.length !== 0;
      if (most !== undefined && isLimited) check(node, walk, most, 'error', source.url, `${rule} maxValueSet`);
      if (strength === 'extensible') check(node, walk, valueSet, 'warning', source.url, rule);
      if (strength === 'preferred') recommend(node, walk, valueSet, source.url, rule);
    }
  };
}

/** The mistakes in the bindings of R4 4.0.1, by path, strength and ValueSet: a corrected one is used as it is. */
const bindingExceptions: Readonly<Record<string, { readonly strength: string }>> = exceptions;

function bindingOf({ element }: Tree): Binding | undefined {
  const binding = asObject(element['binding']);
  const valueSet = asString(binding['valueSet']);
  const strength = asString(binding['strength']);
  if (valueSet === undefined || strength === undefined) return undefined;
  const most = objectsOf(binding['extension']).find(({ url }) => url === maxValueSet);
  const mended = bindingExceptions[`${String(element['path'])} ${strength} ${valueSet}`];
  return {
    strength: mended?.strength ?? strength,
    valueSet,
    most: asString(most?.['valueCanonical']) ?? asString(most?.['valueUri']),
  };
}

/** True if a code is in the ValueSet. */
function check(
  node: Node,
  { findings, terminology }: Walk,
  valueSet: string,
  severity: 'error' | 'warning',
  profile: string,
  rule: string,
): boolean {
  const codes = codesOf(node);
  if (codes === undefined) return false;
  const required = severity === 'error';
  if (codes.length === 0) {
    if (!required || hasOnlyExtensions(node)) return false;
    const text = `A code of \`${valueSet}\` is required here; text alone is not enough.`;
    findings.add({ severity, code: 'code-invalid', text, profile, rule });
    return false;
  }
  let open = false;
  for (const { code, system } of codes) {
    const found = code === undefined ? false : terminology.contains(valueSet, code, system);
    if (found === true) return true;
    open ||= found === undefined;
  }
  if (
    open &&
    codes.some(({ code, system }) => code !== undefined && terminology.isUnanswered(valueSet, code, system))
  ) {
    const text =
      `Whether ${quotedCodes(codes)} is in \`${valueSet}\` was not checked: the terminology server does ` +
      'not answer.';
    findings.add({ severity: 'warning', code: 'transient', text, profile, rule: `${rule} unanswered` });
    return false;
  }
  if (open) {
    const text = `Whether codes are in \`${valueSet}\` cannot be decided with the loaded code systems.`;
    findings.note({ severity: 'information', code: 'informational', text, profile, rule: `undecided ${valueSet}` });
    return false;
  }
  const text = (): string => sentence(codes, valueSet, required, terminology);
  findings.add({ severity, code: 'code-invalid', text, profile, rule });
  return false;
}

/** Reports a code outside of a preferred ValueSet if the loaded definitions decide it, without asking a server. */
function recommend(node: Node, { findings, terminology }: Walk, valueSet: string, profile: string, rule: string): void {
  const codes = codesOf(node) ?? [];
  const outside = ({ code, system }: Code): boolean =>
    code !== undefined && terminology.containsHere(valueSet, code, system) === false;
  if (codes.length === 0 || !codes.every(outside)) return;
  const text = (): string =>
    `${quotedCodes(codes)} ${verb(codes)} not in \`${valueSet}\`, whose codes are preferred here.`;
  findings.add({ severity: 'information', code: 'code-invalid', text, profile, rule });
}

const verb = (codes: readonly Code[]): string => (codes.length === 1 ? 'is' : 'are');

function sentence(codes: readonly Code[], valueSet: string, required: boolean, terminology: Terminology): string {
  const all = terminology.examples(valueSet);
  const [first] = codes;
  const own = first?.code === undefined || all.includes(first.code); // its system is missing
  const hint = own ? '' : didYouMean(first.code, all.slice(0, 300));
  const some = all.slice(0, 8).map(code => `\`${code}\``);
  const list = some.length === 0 ? '' : ` Its codes include ${some.join(', ')}${all.length > 8 ? ', …' : ''}.`;
  const why = required ? 'required binding' : 'extensible binding: another code only if none of the set applies';
  return `${quotedCodes(codes)} ${verb(codes)} not in \`${valueSet}\` (${why}).${hint}${list}`;
}

const quotedCodes = (codes: readonly Code[]): string =>
  codes
    .slice(0, 5)
    .map(
      ({ system, code }) =>
        `\`${shorten(system ? `${system}|${code ?? ''}` : (code ?? ''))}\`${system === '' ? ' without a system' : ''}`,
    )
    .join(', ');

interface Code {
  readonly code: string | undefined;
  readonly system: string | undefined;
}

/** The codes of a value; undefined if its type is not coded, or it has no value. */
function codesOf({ value, code: type }: Node): readonly Code[] | undefined {
  if (typeof value === 'string') return [{ code: value, system: undefined }];
  if (!isObject(value)) return undefined;
  switch (type) {
    case 'CodeableConcept':
      return objectsOf(value['coding']).map(read);
    case 'Coding':
      return [read(value)];
    case 'Quantity':
    case 'Age':
    case 'Duration':
    case 'Distance':
    case 'Count':
      return value['code'] === undefined ? undefined : [read(value)]; // a number without a unit has no code
    default:
      return undefined;
  }
}

const read = ({ system, code }: JsonObject): Code => ({ code: asString(code), system: asString(system) ?? '' });

/** A concept whose only content is an extension with the reason of its absence (data-absent-reason). */
const hasOnlyExtensions = ({ value }: Node): boolean =>
  isObject(value) &&
  value['extension'] !== undefined &&
  Object.keys(value).every(key => key === 'extension' || key === 'id');

/** The ValueSet of a required binding, for discriminators. */
export function requiredValueSet(tree: Tree): string | undefined {
  const binding = bindingOf(tree);
  return binding?.strength === 'required' ? binding.valueSet : undefined;
}

/** Whether a value is in a ValueSet; undefined if that is undecided. */
export function isOf(node: Node, valueSet: string, terminology: Terminology): boolean | undefined {
  const codes = codesOf(node);
  let result: boolean | undefined = false;
  for (const { code, system } of codes ?? []) {
    const found = code === undefined ? false : terminology.contains(valueSet, code, system);
    if (found === true) return true;
    if (found === undefined) result = undefined;
  }
  return result;
}
