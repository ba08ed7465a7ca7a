// https://hl7.org/fhir/R4/narrative.html#security
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sanitizeNarrative } from '../../../src/explorer/record/narrative.ts';
import { asObject, asString } from '../../../src/fhir/json-object.ts';

const div = (inner: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${inner}</div>`;
const clean = (inner: string): string | undefined => sanitizeNarrative(div(inner))?.text;

describe('a narrative', () => {
  it.each([
    ['text and emphasis stay', '<p>Ann <b>Roy</b><br/></p>', '<p>Ann <b>Roy</b><br></p>'],
    ['entities stay text', '<p>&lt;b&gt; &#60;i&#62; &amp;lt;</p>', '<p>&lt;b&gt; &lt;i&gt; &amp;lt;</p>'],
    ['tables keep their structure', '<table><tr><td colspan="2">x</td></tr></table>', undefined],
    ['headings do not change the outline of the page', '<h1>Ann</h1>', '<p>Ann</p>'],
    ['styles, classes and ids are dropped', '<p style="color:red" class="a" id="main">x</p>', '<p>x</p>'],
    ['pictures are their description', '<p><img src="https://evil.example/x.png" alt="A lung"/></p>', '<p>A lung</p>'],
    [
      'maps are dropped',
      '<map name="m"><area href="https://a.example/" alt="x"/>y</map>',
      '<span><span></span>y</span>',
    ],
    ['comments are dropped', 'a<!-- <script>x</script> -->b', 'ab'],
    ['empty elements are closed', '<p/><b/>x', '<p></p><b></b>x'],
    [
      'links of the web stay',
      '<a href="https://example.org/?a=1&amp;b=2" target="_top" name="n">x</a>',
      '<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener external">x</a>',
    ],
    ['a link to a script does not', '<a href="java&#115;cript:alert(1)">x</a>', '<a>x</a>'],
    ['nor with a line break in it', '<a href="java&#10;script:alert(1)">x</a>', '<a>x</a>'],
    ['nor a data URL', '<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['nor a relative one', '<a href="/auth/sign-out">x</a>', '<a>x</a>'],
    [
      'quotes in attributes cannot end them',
      `<p title='" onclick="x'>y</p>`,
      '<p title="&quot; onclick=&quot;x">y</p>',
    ],
  ])('%s', (_, inner, expected = inner) => {
    expect(clean(inner)).toBe(`<div>${expected}</div>`);
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['an event handler', '<p onclick="alert(1)">x</p>'],
    ['a frame', '<iframe src="https://evil.example"/>'],
    ['a form', '<form action="https://evil.example"><input/></form>'],
    ['an SVG image', '<svg><script>x</script></svg>'],
    ['a style sheet', '<style>p{}</style>'],
    ['an element that is not closed', '<p>x'],
    ['an entity of HTML', 'a&nbsp;b'],
    ['a CDATA section', '<![CDATA[<script>x</script>]]>'],
    ['a tag within a tag', '<<b>script>x</b>'],
  ])('with %s is not shown', (_, inner) => {
    expect(clean(inner)).toBeUndefined();
  });

  it('that is not one div is not shown', () => {
    expect(sanitizeNarrative('<p>x</p>')).toBeUndefined();
    expect(sanitizeNarrative(`${div('x')}<script>x</script>`)).toBeUndefined();
  });
});

const examples = join(import.meta.dirname, '../../../node_modules/hl7.fhir.r4.examples');

const allowed = / (?:title|abbr|lang|dir|colspan|rowspan|scope|start|rel|href)="[^"<>]*"/g;

describe.runIf(existsSync(examples))('the narratives of the official examples', () => {
  it('have only elements and attributes of the allow-list, all of them closed', () => {
    let count = 0;
    for (const name of readdirSync(examples).filter(one => /^(?:[A-R]|S[^t]).*\.json$/.test(one))) {
      const resource = asObject(JSON.parse(readFileSync(join(examples, name), 'utf8')));
      const given = asString(asObject(resource['text'])['div']);
      const text = given === undefined || given.length > 40_000 ? undefined : sanitizeNarrative(given)?.text;
      if (text === undefined) continue;
      count += 1;
      const open: string[] = [];
      const wrong: string[] = [];
      for (const [tag, end, element = '', attributes = ''] of text.matchAll(/<(\/?)([a-z]+)((?: [^>]*)?)>/g)) {
        if (attributes.replaceAll(allowed, '') !== '') wrong.push(tag);
        if (end === '/' && open.pop() !== element) wrong.push(tag);
        if (end === '' && !['br', 'hr', 'col'].includes(element)) open.push(element);
      }
      if (/[<>]/.test(text.replaceAll(/<\/?[a-z][^<>]*>/g, ''))) wrong.push('text');
      expect({ name, wrong, open }).toEqual({ name, wrong: [], open: [] });
    }
    expect(count).toBeGreaterThan(500);
  }, 60_000);
});
