// https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.label,
// https://hl7.org/fhir/R4/extension-translation.html
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { distilNotes, notesFile } from '../../../src/explorer/definition/distil.ts';
import { createLabels, labelOfName } from '../../../src/explorer/definition/label.ts';
import type { TypeDefinition } from '../../../src/model/element.ts';
import type { Snapshot } from '../../../src/model/snapshot/snapshot.ts';
import { openView } from '../support.ts';

const profile = (structure: object, ...elements: readonly object[]) => {
  const snapshot: Snapshot = {
    url: 'u',
    type: 'Patient',
    structure: { ...structure },
    elements: elements.map(one => ({ ...one })),
    problems: [],
  };
  return (language: 'en' | 'fr') => createLabels(() => snapshot, ['u'], language);
};
const translation = (lang: string, content: string): object => ({
  extension: [
    {
      url: 'http://hl7.org/fhir/StructureDefinition/translation',
      extension: [
        { url: 'lang', valueCode: lang },
        { url: 'content', valueString: content },
      ],
    },
  ],
});

describe('the label of an element', () => {
  it.each([
    ['birthDate', 'Birth date', 'Date de naissance'],
    ['instantiatesUri', 'Instantiates URI', 'Applique le protocole externe'],
    ['id', 'ID', 'Identifiant technique'],
  ])('of the name %s is %s, in French %s', (name, english, french) => {
    expect(labelOfName(name, 'en')).toEqual({ text: english, language: 'en' });
    expect(labelOfName(name, 'fr')).toEqual({ text: french, language: 'fr' });
  });

  it('is English, and says so, where there is no French name', () => {
    expect(labelOfName('hiddenFigure', 'fr')).toEqual({ text: 'Hidden figure', language: 'en' });
    expect(labelOfName('constructor', 'fr')).toEqual({ text: 'Constructor', language: 'en' });
  });

  it('is the translation that a profile carries, before its own label', () => {
    const path = 'Patient.birthDate';
    const labels = profile({}, { id: path, path, label: 'Born', _label: translation('fr-CA', 'Né le') });
    expect(labels('fr')(path)).toEqual({ text: 'Né le', language: 'fr' });
    expect(labels('en')(path)).toEqual({ text: 'Born', language: 'en' });
  });

  it('is the label of a profile only in the language of the profile', () => {
    const path = 'Patient.birthDate';
    const labels = profile({ language: 'fr-CA' }, { id: path, path, label: 'Né le' });
    expect(labels('fr')(path).text).toBe('Né le');
    expect(labels('en')(path).text).toBe('Birth date');
  });

  it('is not that of a slice', () => {
    const path = 'Patient.identifier';
    const labels = profile({}, { id: `${path}:jhn`, path, label: 'Health number' });
    expect(labels('en')(path).text).toBe('Identifier');
  });

  it('is in French for every element of the shipped types and of their data types', async () => {
    const { model } = await openView();
    const missing = new Set<string>();
    const seen = new Set<TypeDefinition>();
    const check = (type: TypeDefinition | undefined): void => {
      if (type === undefined || seen.has(type) || type.kind === 'primitive-type') return;
      seen.add(type);
      for (const { name, types } of type.elements.values()) {
        if (labelOfName(name, 'fr').language !== 'fr') missing.add(name);
        for (const { code, content } of types)
          if (!model.definitions.resourceTypes.has(code)) check(content ?? model.definitions.get(code));
      }
    };
    for (const { definition } of model.types.values()) check(definition);
    expect([...missing]).toEqual([]);
    expect(seen.size).toBeGreaterThan(50);
  });
});

const source = join(import.meta.dirname, '../../../node_modules/hl7.fhir.r4.examples');

describe('the notes on the elements of R4', () => {
  it.runIf(existsSync(source))('are those of the official package', async () => {
    const notes: unknown = JSON.parse(readFileSync(notesFile, 'utf8'));
    expect(notes).toEqual(await distilNotes(source));
  });
});
