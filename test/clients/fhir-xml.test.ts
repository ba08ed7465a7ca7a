// https://hl7.org/fhir/R4/xml.html, judged by the converter of the package `fhir` (https://www.npmjs.com/package/fhir)
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fhir } from 'fhir';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/fhir/json-object.ts';
import { jsonOfXml } from '../../src/fhir/xml/convert.ts';
import { printXml } from '../../src/fhir/xml/print.ts';
import { coreTypes } from '../../src/model/type-definitions.ts';

// What the converter is known to do wrong, by file.
/** An array of primitives that have extensions and no values becomes empty, or is lost. */
const withoutValues = [
  'ActivityDefinition-heart-valve-replacement.json',
  'ActivityDefinition-referralPrimaryCareMentalHealth.json',
  'ActivityDefinition-serum-zika-dengue-virus-igm.json',
];
/** A `<` in an attribute of a narrative is not escaped. */
const lessThan = ['StructureDefinition-Age.json', 'StructureDefinition-Quantity.json'];

const folder = fileURLToPath(new URL('../../node_modules/hl7.fhir.r4.examples/', import.meta.url));
const read = (file: string): string => readFileSync(folder + file, 'utf8').replace(/^\ufeff/, '');
const files = readdirSync(folder).filter(file => /^[A-Z].*\.json$/.test(file) && read(file).length < 60_000);
const every = Math.floor(files.length / 1_000);
const examples = files.filter((file, at) => at % every === 0 || [...withoutValues, ...lessThan].includes(file));

/** The content without narratives, which the converter writes in its own way. */
function contentOf(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'div' ? undefined : isObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value,
  );
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

describe('the converter of another project', () => {
  const fhir = new Fhir();

  it('reads the XML of a thousand examples as their JSON', () => {
    expect(examples.length).toBeGreaterThanOrEqual(1_000);
    const differing = examples.filter(file => {
      const text = read(file);
      const theirs = fhir.xmlToJson(printXml(text, coreTypes));
      return JSON.stringify(contentOf(theirs)) !== JSON.stringify(contentOf(text));
    });
    expect(differing).toEqual(withoutValues);
  }, 120_000);

  it('writes XML that is read as their JSON', () => {
    const differing = examples.filter(file => {
      const text = read(file);
      const theirs = fhir.jsonToXml(text);
      try {
        const ours = jsonOfXml(Buffer.from(theirs), coreTypes);
        return JSON.stringify(contentOf(ours)) !== JSON.stringify(contentOf(text));
      } catch {
        return true;
      }
    });
    expect(differing).toEqual([...withoutValues, ...lessThan]);
  }, 120_000);
});
