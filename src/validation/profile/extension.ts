import { asString, isObject } from '../../fhir/json-object.ts';
import { shorten } from '../report.ts';
import { validateAgainst } from './conform.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { contextFits } from './extension-context.ts';
import { decide } from './invariant.ts';
import type { Walk } from './walk.ts';

/**
 * Checks an extension: `ext-1`, its definition, its context, and whether it is a modifier; `around` is the parent of
 * the owner. https://hl7.org/fhir/R4/extensibility.html
 */
export function checkExtension(node: Node, owner: Node, around: Node | undefined, walk: Walk): void {
  const { findings, rulebook } = walk;
  if (!isObject(node.value)) return;
  checkOneOf(node.value, walk);
  const url = asString(node.value['url']);
  if (url === undefined) return;
  const modifier = node.element?.name === 'modifierExtension';
  const relative = !url.includes(':');
  if (relative) {
    if (owner.code === 'Extension') return; // part of the complex extension around it, which defines it
    const text =
      `The url of an extension must be absolute, not \`${shorten(url)}\`; only within another extension it ` +
      'may be relative.';
    findings.add({ severity: 'error', code: 'extension', text, rule: 'extension url' });
    return;
  }
  const profile = rulebook.profile(url);
  if (profile === undefined || profile.type !== 'Extension') {
    const severity = modifier ? 'warning' : 'information';
    const text =
      `The extension \`${shorten(url)}\` is not ` +
      `loaded${modifier ? ', and it may modify the meaning of this element' : ''}.`;
    findings.note({ severity, code: 'extension', text, rule: `unknown ${url.slice(0, 200)}` });
    return;
  }
  const root = profile.snapshot.elements[0];
  if ((root?.['isModifier'] === true) !== modifier) {
    const text = modifier
      ? `\`${shorten(url)}\` is not a modifier, so it belongs into \`extension\`.`
      : `\`${shorten(url)}\` is a modifier, so it belongs into \`modifierExtension\`.`;
    findings.add({ severity: 'error', code: 'extension', text, profile: profile.url, rule: 'extension modifier' });
  }
  if (contextFits(profile.snapshot, owner, around, walk) === false) {
    const places = profile.snapshot.context.slice(0, 8).map(({ expression }) => `\`${expression}\``);
    const text = `\`${shorten(url)}\` is not allowed here; it belongs on ${places.join(', ')}.`;
    findings.add({ severity: 'error', code: 'extension', text, profile: profile.url, rule: 'extension context' });
  }
  for (const expression of profile.snapshot.contextInvariants) {
    // Undecided invariants are not reported.
    if (decide(rulebook.rule(expression, owner), owner, walk) !== false) continue;
    const text = `\`${shorten(url)}\` is allowed only if \`${shorten(expression)}\` is true.`;
    findings.add({
      severity: 'error',
      code: 'extension',
      text,
      profile: profile.url,
      rule: 'extension contextInvariant',
    });
  }
  validateAgainst(node, url, walk);
}

/** `ext-1`: a value or extensions, never both. */
function checkOneOf(extension: Record<string, unknown>, { findings }: Walk): void {
  let value = false;
  for (const name in extension) if (name.startsWith('value') || name.startsWith('_value')) value = true;
  if (value !== (extension['extension'] !== undefined)) return;
  const text = `An extension must have either extensions or a value, ${value ? 'not both' : 'found neither'} (ext-1).`;
  findings.add({ severity: 'error', code: 'invariant', text, rule: 'ext-1' });
}
