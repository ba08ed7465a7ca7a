import { isObject } from '../fhir/json-object.ts';
import { stringEnd } from '../fhir/json-layout.ts';
import { valueEnd } from '../fhir/resource-text.ts';
import { parseStored } from '../fhir/stored-text.ts';
import { splitUnion } from '../model/branch.ts';
import type { Query } from '../search/ast.ts';

/** A place in a record, and the reference that lets the record through if it is there. */
export interface ReferenceProbe {
  /** How the text of a record of the type begins. */
  readonly start: string;
  /** The top-level property, with the quote after its name. */
  readonly top: string;
  /** Elements below it. */
  readonly below: readonly string[];
  /** `Type/id`. */
  readonly reference: string;
  /**
   * The usual beginning of the top-level property's value with the reference: `{"reference":"Type/id"`, or
   * `[{"element":{"reference":"Type/id"`.
   */
  readonly link: string;
}

/**
 * The probes of a rule: references at the end of a plain path, which a text search can find, as most rules need. Empty
 * for rules that need more.
 */
export function probesOf(rule: Query, resourceType: string): readonly ReferenceProbe[] {
  if (rule.kind === 'or') return rule.of.flatMap(one => probesOf(one, resourceType));
  if (rule.kind !== 'param' || rule.param.type !== 'reference' || rule.test.kind !== 'reference') return [];
  const { type, id, url, version } = rule.test;
  if (type === undefined || id === undefined || url !== undefined || version !== undefined) return [];
  return splitUnion(rule.param.expression).flatMap((branch): ReferenceProbe[] => {
    const [, root, path, target = type] = plain.exec(branch) ?? [];
    if (root !== resourceType || path === undefined || target !== type) return [];
    const reference = `${type}/${id}`;
    const [top = '', ...below] = path.slice(1).split('.');
    return [
      {
        start: `{"resourceType":"${resourceType}",`,
        top: `${top}"`,
        below,
        reference,
        link: `${below.map(name => `[{"${name}":`).join('')}{"reference":"${reference}"`,
      },
    ];
  });
}

/** `Type.part.element`, with an optional target type, as in `Type.element.where(resolve() is Other)`. */
const plain = /^([A-Z]\w*)((?:\.[a-z]\w*)+?)(?:\.where\(resolve\(\) is ([A-Z]\w*)\))?$/;

/**
 * True if the rule certainly lets the record with this text through; otherwise the whole rule must be evaluated. A text
 * with white space between its properties is never matched.
 */
export function matchesProbe(text: string, sights: readonly ReferenceProbe[]): boolean {
  const start = sights[0]?.start; // the same for all probes of a type
  if (start === undefined || !text.startsWith(start)) return false;
  for (let at = start.length; text.charCodeAt(at) === 0x22;) {
    const colon = stringEnd(text, at);
    if (text.charCodeAt(colon) !== 0x3a) return false;
    for (const sight of sights) {
      if (text.startsWith(sight.top, at + 1) && hasLink(text, colon + 1, sight)) return true;
    }
    at = valueEnd(text, colon + 1) + 1;
  }
  return false;
}

/** Whether the value that begins at `at` contains the reference. */
function hasLink(text: string, at: number, { below, reference, link }: ReferenceProbe): boolean {
  if (text.startsWith(link, at)) return true;
  const value = text.slice(at, valueEnd(text, at));
  return value.includes(reference) && leadsTo(parseStored(value), below, 0, reference);
}

function leadsTo(value: unknown, steps: readonly string[], at: number, reference: string): boolean {
  if (Array.isArray(value)) return value.some(one => leadsTo(one, steps, at, reference));
  if (!isObject(value)) return false;
  const step = steps[at];
  if (step === undefined) return value['reference'] === reference;
  return Object.hasOwn(value, step) && leadsTo(value[step], steps, at + 1, reference);
}
