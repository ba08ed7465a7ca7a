import { asString, isObject } from '../../fhir/json-object.ts';
import { shorten } from '../report.ts';
import { holdAgainst } from './conform.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { contextFits } from './extension-context.ts';
import { decide } from './invariant.ts';
import type { Walk } from './walk.ts';

/**
 * An extension: `ext-1`, its definition, where it may stand, and whether it may modify the meaning of its owner; `around` is
 * what the owner is a child of.
 * https://hl7.org/fhir/R4/extensibility.html
 */
export function checkExtension(node: Node, owner: Node, around: Node | undefined, walk: Walk): void {
  const { findings, kit } = walk;
  if (!isObject(node.value)) return;
  checkOneOf(node.value, walk);
  const url = asString(node.value['url']);
  if (url === undefined) return;
  const modifier = node.element?.name === 'modifierExtension';
  const relative = !url.includes(':');
  if (relative) {
    if (owner.code === 'Extension') return; // part of the extension around it, which says what it is
    const text = `The url of an extension must be absolute, not \`${shorten(url)}\`; only within another extension it may be short.`;
    findings.add({ severity: 'error', code: 'extension', text, rule: 'extension url' });
    return;
  }
  const profile = kit.profile(url);
  if (profile === undefined || profile.type !== 'Extension') {
    const severity = modifier ? 'warning' : 'information';
    const text = `The extension \`${shorten(url)}\` is not known here${modifier ? ', though it may change what this means' : ''}.`;
    findings.note({ severity, code: 'extension', text, rule: `unknown ${url.slice(0, 200)}` });
    return;
  }
  const root = profile.snapshot.elements[0];
  if ((root?.['isModifier'] === true) !== modifier) {
    const text = modifier
      ? `\`${shorten(url)}\` modifies nothing, so it belongs into \`extension\`.`
      : `\`${shorten(url)}\` modifies what this means, so it belongs into \`modifierExtension\`.`;
    findings.add({ severity: 'error', code: 'extension', text, profile: profile.url, rule: 'extension modifier' });
  }
  if (contextFits(profile.snapshot, owner, around, walk) === false) {
    const places = profile.snapshot.context.slice(0, 8).map(({ expression }) => `\`${expression}\``);
    const text = `\`${shorten(url)}\` may not stand here; it belongs on ${places.join(', ')}.`;
    findings.add({ severity: 'error', code: 'extension', text, profile: profile.url, rule: 'extension context' });
  }
  for (const expression of profile.snapshot.contextInvariants) {
    if (decide(kit.rule(expression, owner), owner, walk) !== false) continue; // with what cannot be decided nobody is troubled
    const text = `\`${shorten(url)}\` may stand only where \`${shorten(expression)}\` holds.`;
    findings.add({
      severity: 'error',
      code: 'extension',
      text,
      profile: profile.url,
      rule: 'extension contextInvariant',
    });
  }
  holdAgainst(node, url, walk);
}

/** `ext-1`: a value or extensions, never both. */
function checkOneOf(extension: Record<string, unknown>, { findings }: Walk): void {
  let value = false;
  for (const name in extension) if (name.startsWith('value') || name.startsWith('_value')) value = true;
  if (value !== (extension['extension'] !== undefined)) return;
  const text = `An extension must have either extensions or a value, ${value ? 'not both' : 'and this has neither'} (ext-1).`;
  findings.add({ severity: 'error', code: 'invariant', text, rule: 'ext-1' });
}
