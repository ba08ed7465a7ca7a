import { isObject } from '../fhir/json-object.ts';
import { stringEnd } from '../fhir/json-layout.ts';
import { valueEnd } from '../fhir/resource-text.ts';
import { parseStored } from '../fhir/stored-text.ts';
import { splitUnion } from '../model/branch.ts';
import type { Query } from '../search/ast.ts';

/** A place in a record, and the reference that lets the record through where it stands there just so. */
export interface Sight {
  /** How the text of a record of the type begins. */
  readonly start: string;
  /** The top property, with the quote behind its name. */
  readonly top: string;
  /** Elements below it. */
  readonly below: readonly string[];
  /** `Type/id`. */
  readonly reference: string;
  /** How the value of the top property begins mostly where it refers so: `{"reference":"Type/id"`, or `[{"element":{"reference":"Type/id"`. */
  readonly link: string;
}

/**
 * Where a look tells that a rule lets a record of a type through, as most records that are asked for do: what is at the end of
 * a plain path is the reference that the rule wants. Nothing for rules that are more than that.
 */
export function sightsOf(rule: Query, resourceType: string): readonly Sight[] {
  if (rule.kind === 'or') return rule.of.flatMap(one => sightsOf(one, resourceType));
  if (rule.kind !== 'param' || rule.param.type !== 'reference' || rule.test.kind !== 'reference') return [];
  const { type, id, url, version } = rule.test;
  if (type === undefined || id === undefined || url !== undefined || version !== undefined) return [];
  return splitUnion(rule.param.expression).flatMap((branch): Sight[] => {
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

/** `Type.part.element`, and of those who is meant, as in `Type.element.where(resolve() is Other)`. */
const plain = /^([A-Z]\w*)((?:\.[a-z]\w*)+?)(?:\.where\(resolve\(\) is ([A-Z]\w*)\))?$/;

/**
 * True where the rule certainly lets the record with this text through; otherwise all of the rule is to be asked. A text with
 * white space between its properties is not looked at.
 */
export function isSeen(text: string, sights: readonly Sight[]): boolean {
  const start = sights[0]?.start; // the same for all of a type
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

/** Whether the value that begins at `at` leads to the reference. */
function hasLink(text: string, at: number, { below, reference, link }: Sight): boolean {
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
