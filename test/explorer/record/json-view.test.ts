// https://hl7.org/fhir/R4/json.html
import { beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/fhir/json.ts';
import { jsonView } from '../../../src/explorer/record/text-view.ts';
import type { RecordView } from '../../../src/explorer/record/view.ts';
import { base, openView, shownText } from '../support.ts';

describe('the view of JSON', () => {
  let view: RecordView;
  beforeAll(async () => {
    view = await openView();
  }, 60_000);

  const viewOf = (text: string): string => jsonView(parseJson(text), view).text;
  const codeOf = (text: string): string => /<code>(.*)<\/code>/s.exec(viewOf(text))?.[1] ?? '';

  it('has the same value, with its digits, in lines', () => {
    const text = '{"a":[1.50,{"b":"x\\"<&"},[],{}],"c":null,"d":true,"e":12345678901234567890}';
    const printed = codeOf(text).replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
    expect(printed.replaceAll(/\n */g, '').replaceAll(': ', ':')).toBe(text);
    expect(printed).toContain('{\n  "a": [\n    1.50,');
  });

  it('links of users, who see at most their own resource, that of the caller alone', () => {
    const text = '{"a":{"reference":"Practitioner/me"},"b":{"reference":"Practitioner/other"}}';
    const links = (self?: string): readonly string[] =>
      [...jsonView(parseJson(text), { ...view, self }).text.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links()).toEqual([]);
    expect(links('Practitioner/me')).toEqual([expect.stringMatching(/Practitioner\/me$/)]);
  });

  it('links references and addresses of this partition, and nothing else', () => {
    const text = JSON.stringify({
      subject: { reference: 'Patient/p1' },
      other: { reference: 'Organization/o1' },
      note: 'Patient/p1',
      link: [{ url: `${base}/Patient?name=a` }, { url: 'https://evil.example/' }],
      url: 'javascript:alert(1)',
    });
    const links = [...viewOf(text).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual(['/r4/demo/Patient/p1', '/r4/demo/Patient?name=a']);
  });

  it('cuts a long text, and says so', () => {
    const long = viewOf(JSON.stringify({ list: Array.from({ length: 20_000 }, (_, at) => at) }));
    expect(long.length).toBeLessThan(100_000);
    expect(shownText(long)).toContain(view.texts.cut);
  });
});
