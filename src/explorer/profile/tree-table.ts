import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { colon, inEnglish } from '../definition/label.ts';
import { table } from '../../pages/parts.ts';
import { safeLink } from '../record/view.ts';
import { profileTexts } from './texts.ts';
import type { ProfileTexts } from './texts.ts';
import type { Shown, ShownType, TreeRow } from './tree.ts';

/** What the table of a tree needs. */
export interface TreeView {
  readonly language: Language;
  /** The page of a definition by its canonical or type name; undefined if it is not loaded. */
  readonly link: (canonical: string) => string | undefined;
}

/** A tree of elements as a table: deeper elements are indented, what differs from the base is marked. */
export function treeTable(rows: readonly TreeRow[], view: TreeView): Html {
  const texts = profileTexts[view.language];
  const headings = [texts.element, texts.flags, texts.cardinality, texts.types, texts.about];
  return table(
    texts.element,
    headings,
    rows.map(row => treeRow(row, view, texts)),
    { tree: true },
  );
}

/** Deeper levels are indented as this one. */
const deepest = 8;

function treeRow(row: TreeRow, view: TreeView, texts: ProfileTexts): Html {
  const { id, depth, name, slice, element, base, rules, short } = row;
  const isChanged = base !== undefined || rules.length > 0 || slice !== undefined;
  return html`<tr id="${id}" ${isChanged && html` class="changed"`}>
    <th scope="row" class="d${Math.min(depth, deepest)}">
      <code>${slice === undefined ? name : html`${name}:<strong>${slice}</strong>`}</code>
    </th>
    <td>${flags(element, texts)}</td>
    <td>${element.cardinality}${changed(base?.cardinality, texts)}</td>
    <td>
      ${typesText(element.types, view)}${
        base?.types !== undefined && changed(base.types.map(typeText).join(', ') || '–', texts)
      }
    </td>
    <td>${short !== undefined && html`<span>${inEnglish(short, view.language)}</span>`} ${facts(row, view, texts)}</td>
  </tr>`;
}

const changed = (before: string | undefined, texts: ProfileTexts): Markup =>
  before !== undefined && html` <small class="base">${texts.instead(before)}</small>`;

/** The flags of HL7's tables. https://hl7.org/fhir/R4/formats.html#table */
function flags({ mustSupport, modifier, summary }: Shown, texts: ProfileTexts): Markup {
  const all = [
    { is: mustSupport, sign: 'S', text: texts.mustSupport },
    { is: modifier, sign: '?!', text: texts.modifier },
    { is: summary, sign: 'Σ', text: texts.summary },
  ];
  return all.filter(({ is }) => is).map(({ sign, text }) => html`<abbr title="${text}">${sign}</abbr> `);
}

const last = (canonical: string): string => canonical.slice(canonical.lastIndexOf('/') + 1);

/** `Reference(Patient | Group)` */
const typeText = ({ code, targets, profiles }: ShownType): string => {
  const inner = [...profiles, ...targets].map(last).join(' | ');
  return inner === '' ? code : `${code}(${inner})`;
};

function typesText(types: readonly ShownType[], { link }: TreeView): Markup {
  const linked = (text: string, canonical: string): Markup => {
    const href = link(canonical);
    return href === undefined ? text : html`<a href="${href}">${text}</a>`;
  };
  return types.map(({ code, profiles, targets }, at) => {
    const inner = [...profiles, ...targets].map((one, index) => [index > 0 && ' | ', linked(last(one), one)]);
    return [at > 0 && ', ', linked(code, code), inner.length > 0 && ['(', inner, ')']];
  });
}

/** Binding, fixed value, slicing and new invariants. */
function facts({ element, base, rules }: TreeRow, { language }: TreeView, texts: ProfileTexts): Markup {
  const { binding, fixed, slicing } = element;
  const lines: Markup[] = [];
  if (binding !== undefined) {
    const href = safeLink(binding.valueSet.replace(/\|.*/, ''));
    const name = last(binding.valueSet);
    const set = href === undefined ? name : html`<a href="${href}" rel="noreferrer noopener external">${name}</a>`;
    const before = base?.binding && `${last(base.binding.valueSet)} (${base.binding.strength})`;
    lines.push(
      html`${texts.binding}${colon[language]} ${set} (<span lang="en">${binding.strength}</span
        >)${changed(before, texts)}`,
    );
  }
  if (fixed !== undefined)
    lines.push(html`${texts[fixed.kind]}${colon[language]} <code>${fixed.value.slice(0, 300)}</code>`);
  if (slicing !== undefined)
    lines.push(
      html`${texts.sliced}${colon[language]} <code>${slicing.by}</code> (<span lang="en">${slicing.rules}</span>)`,
    );
  for (const { key, human } of rules)
    lines.push(html`${texts.rule} <code>${key}</code>${colon[language]} ${inEnglish(human.slice(0, 300), language)}`);
  return (
    lines.length > 0 &&
    html`<ul class="facts-list">
      ${lines.map(line => html`<li>${line}</li>`)}
    </ul>`
  );
}
