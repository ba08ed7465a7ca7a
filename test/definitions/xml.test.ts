// Definitions as XML: https://hl7.org/fhir/R4/xml.html
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printXml } from '../../src/fhir/xml/print.ts';
import { coreTypes } from '../../src/model/type-definitions.ts';
import { loadWith } from '../support/definition-files.ts';

const ninth = join(import.meta.dirname, '../fixtures/ninth-type');
const paths = ['capability/practitioner', 'profiles/licensed-practitioner', 'searchparameters/practitioner-license'];
const jsonOf = (path: string): string => readFileSync(join(ninth, `${path}.json`), 'utf8');
const xmlOf = (path: string): string => printXml(jsonOf(path), coreTypes, { pretty: true });

describe('definitions in XML', () => {
  it('load as those in JSON do', async () => {
    const json = await loadWith(Object.fromEntries(paths.map(path => [`${path}.json`, jsonOf(path)])));
    const xml = await loadWith(Object.fromEntries(paths.map(path => [`${path}.xml`, xmlOf(path)])));
    expect(xml.problems).toEqual([]);
    expect(xml.model?.statement).toEqual(json.model?.statement);
    expect([...(xml.model?.types.get('Practitioner')?.parameters.keys() ?? [])]).toEqual([
      ...(json.model?.types.get('Practitioner')?.parameters.keys() ?? ['none']),
    ]);
  });

  it('load from a Bundle, also with a prefix', async () => {
    const entry = paths.slice(1).map(path => ({ resource: JSON.parse(jsonOf(path)) as unknown }));
    const bundle = printXml(JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }), coreTypes);
    const prefixed = xmlOf('capability/practitioner')
      .replaceAll(/<(\/?)(?=[A-Za-z])/g, '<$1f:')
      .replace('xmlns=', 'xmlns:f=');
    const { problems, model } = await loadWith({ 'profiles/both.xml': bundle, 'capability/p.xml': prefixed });
    expect([problems, model?.types.get('Practitioner')?.parameters.has('license')]).toEqual([[], true]);
  });

  it('have problems with file, path and line', async () => {
    const capability = xmlOf('capability/practitioner');
    const wrong = capability.replace(/(<type value=")Practitioner"/, '$1Practitoner"');
    const line = wrong.slice(0, wrong.indexOf('Practitoner')).split('\n').length;
    const { problems } = await loadWith({ 'capability/p.xml': wrong });
    expect(problems[0]).toEqual({
      file: 'capability/p.xml',
      path: 'rest[0].resource[0].type',
      text: expect.stringMatching(new RegExp(`Practitoner.* Line ${line}\\.$`)),
    });
  });

  it('are refused with the line if their XML is not FHIR', async () => {
    const { problems } = await loadWith({
      'profiles/a.xml': '<ValueSet xmlns="http://hl7.org/fhir">\n<status value="active"/>\n<id value="a"/></ValueSet>',
      'profiles/b.xml': '<!DOCTYPE ValueSet [<!ENTITY a "b">]>\n<ValueSet xmlns="http://hl7.org/fhir"/>',
    });
    expect(problems).toEqual([
      {
        file: 'profiles/a.xml',
        path: '',
        text: expect.stringMatching(/^`id` must be before `status`; expected after .* Line 3, column \d+\.$/),
      },
      { file: 'profiles/b.xml', path: '', text: expect.stringMatching(/^XML of FHIR has no DTD/) },
    ]);
  });
});
