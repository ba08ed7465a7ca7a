import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { shorten } from '../report.ts';
import { bindingExceptions } from './binding-exceptions.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Source } from './source.ts';
import type { Terminology } from './terminology.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck, Walk } from './walk.ts';

const maxValueSet = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

interface Binding {
  readonly strength: string;
  readonly valueSet: string;
  /** The ValueSet beyond which not even an extensible binding goes. */
  readonly most: string | undefined;
}

/**
 * A binding: a code that is not of a required ValueSet is an error, of an extensible one a warning, of a preferred one
 * a note; example ones ask nothing. What the loaded terminology cannot decide is told as information.
 * https://hl7.org/fhir/R4/terminologies.html#strength
 */
export function compileBinding(tree: Tree, base: Tree | undefined, source: Source): ValueCheck | undefined {
  const binding = bindingOf(tree);
  if (binding === undefined) return undefined;
  const { strength, most } = binding;
  const given = base && bindingOf(base);
  if (given?.strength === strength && given.valueSet === binding.valueSet && given.most === most) return undefined;
  // One that is contained in the definition is named from there.
  const valueSet = binding.valueSet.startsWith('#') ? source.url + binding.valueSet : binding.valueSet;
  const rule = `${source.id(tree.element)} binding`;
  return (node, walk) => {
    if (strength === 'required') {
      const held = check(node, walk, valueSet, 'error', source.url, rule);
      if (held && given?.strength === 'extensible') walk.findings.settle();
    } else {
      if (most !== undefined) check(node, walk, most, 'error', source.url, `${rule} maxValueSet`);
      if (strength === 'extensible') check(node, walk, valueSet, 'warning', source.url, rule);
      if (strength === 'preferred') recommend(node, walk, valueSet, source.url, rule);
    }
  };
}

function bindingOf({ element }: Tree): Binding | undefined {
  const binding = asObject(element['binding']);
  const valueSet = asString(binding['valueSet']);
  const strength = asString(binding['strength']);
  if (valueSet === undefined || strength === undefined) return undefined;
  const most = objectsOf(binding['extension']).find(({ url }) => url === maxValueSet);
  const mended = bindingExceptions.get(`${String(element['path'])} ${strength} ${valueSet}`);
  return {
    strength: mended?.strength ?? strength,
    valueSet,
    most: asString(most?.['valueCanonical']) ?? asString(most?.['valueUri']),
  };
}

/** True where a code is of the ValueSet. */
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
    const text = `A code of \`${valueSet}\` must be given here; a text alone does not do.`;
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
    const text = `Whether ${quotedCodes(codes)} is of \`${valueSet}\` could not be checked: the terminology server does not answer.`;
    findings.add({ severity: 'warning', code: 'transient', text, profile, rule: `${rule} unanswered` });
    return false;
  }
  if (open) {
    const text = `Whether codes are of \`${valueSet}\` cannot be told with the code systems that are loaded.`;
    findings.note({ severity: 'information', code: 'informational', text, profile, rule: `undecided ${valueSet}` });
    return false;
  }
  const text = (): string => sentence(codes, valueSet, required, terminology);
  findings.add({ severity, code: 'code-invalid', text, profile, rule });
  return false;
}

/** A preferred ValueSet is worth a word where what is loaded says no, and no question to anybody. */
function recommend(node: Node, { findings, terminology }: Walk, valueSet: string, profile: string, rule: string): void {
  const codes = codesOf(node) ?? [];
  const outside = ({ code, system }: Code): boolean =>
    code !== undefined && terminology.containsHere(valueSet, code, system) === false;
  if (codes.length === 0 || !codes.every(outside)) return;
  const text = (): string =>
    `${quotedCodes(codes)} ${verb(codes)} not of \`${valueSet}\`, whose codes are preferred here.`;
  findings.add({ severity: 'information', code: 'code-invalid', text, profile, rule });
}

const verb = (codes: readonly Code[]): string => (codes.length === 1 ? 'is' : 'are');

function sentence(codes: readonly Code[], valueSet: string, required: boolean, terminology: Terminology): string {
  const all = terminology.examples(valueSet);
  const [first] = codes;
  const own = first?.code === undefined || all.includes(first.code); // what it lacks is the system
  const hint = own ? '' : didYouMean(first.code, all.slice(0, 300));
  const some = all.slice(0, 8).map(code => `\`${code}\``);
  const list = some.length === 0 ? '' : ` Codes of it are ${some.join(', ')}${all.length > 8 ? ', …' : ''}.`;
  const why = required ? 'and this takes no other code' : 'and this takes another code only where none of its own fits';
  return `${quotedCodes(codes)} ${verb(codes)} not of \`${valueSet}\`, ${why}.${hint}${list}`;
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

/** The codes of a value; undefined where it is of a type that is not coded, or has no value. */
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
      return value['code'] === undefined ? undefined : [read(value)]; // a number without unit says nothing
    default:
      return undefined;
  }
}

const read = ({ system, code }: JsonObject): Code => ({ code: asString(code), system: asString(system) ?? '' });

/** A concept that says by an extension alone why it is not there (data-absent-reason). */
const hasOnlyExtensions = ({ value }: Node): boolean =>
  isObject(value) && value['extension'] !== undefined && Object.keys(value).every(key => key === 'extension' || key === 'id'); // prettier-ignore

/** The ValueSet of a required binding, for discriminators. */
export function requiredValueSet(tree: Tree): string | undefined {
  const binding = bindingOf(tree);
  return binding?.strength === 'required' ? binding.valueSet : undefined;
}

/** Whether a value is of a ValueSet; undefined where that cannot be told. */
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
