import type { Issue } from '../../fhir/outcome.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { RecordTexts } from './texts.ts';

/** A finding of the validation of a record. */
export interface RecordFinding {
  readonly severity: keyof RecordTexts['severities'];
  /** A sentence in English. */
  readonly text: string;
  /** Where it is, as FHIRPath: `Patient.name[0].given[1]`; empty for the whole record. */
  readonly place: string;
}

/** The findings of a record; each is taken once, by the first element that shows it. */
export interface Findings {
  /** Takes the findings at a place itself. */
  at(place: string): readonly RecordFinding[];
  /** Takes the findings at a place and below. */
  below(place: string): readonly RecordFinding[];
  /** The findings that no element has taken. */
  rest(): readonly RecordFinding[];
}

/** The findings of a validation. */
export const findingsOf = (issues: readonly Issue[]): readonly RecordFinding[] =>
  issues.map(({ severity, text, expression = '' }) => ({ severity, text, place: expression }));

export function createFindings(findings: readonly RecordFinding[]): Findings {
  const left = new Set(findings);
  const take = (of: (finding: RecordFinding) => boolean): readonly RecordFinding[] => {
    if (left.size === 0) return [];
    const taken = [...left].filter(of);
    for (const one of taken) left.delete(one);
    return taken;
  };
  return {
    at: place => take(one => one.place === place),
    below: place => take(one => one.place === place || one.place.startsWith(`${place}.`) || isItem(one.place, place)),
    rest: () => [...left],
  };
}

const isItem = (place: string, list: string): boolean => place.startsWith(`${list}[`);

export const noFindings: Findings = createFindings([]);

/** Findings beside an element; nothing without any. */
export function printFindings(findings: readonly RecordFinding[], texts: RecordTexts): Markup {
  if (findings.length === 0) return undefined;
  return html`<ul class="findings">
    ${findings.map(one => printFinding(one, texts))}
  </ul>`;
}

const printFinding = ({ severity, text }: RecordFinding, { severities }: RecordTexts): Html =>
  html`<li class="finding ${severity}"><strong>${severities[severity]}</strong> <span lang="en">${text}</span></li>`;
