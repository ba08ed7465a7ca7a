import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageDocument } from '../../../src/pages/document.ts';
import { escapeText, html } from '../../../src/pages/html.ts';
import { errorSummary, textField } from '../../../src/pages/parts.ts';
import { signInSite } from '../../../src/smart/pages/site.ts';
import type { FramedVisit } from '../../../src/smart/pages/visit.ts';
import { patientLines } from '../../../src/smart/pages/picker.ts';
import { texts } from '../../../src/smart/pages/texts/index.ts';
import { plain } from './support/visitor.ts';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '"><script>alert(1)</script>',
    "' onfocus='x",
    '</title><b>',
    '<!--',
    '&lt;',
    '`${x}`',
    '\u0000<',
    '\ud800',
  ),
);

/** The tags of a page, with the names of their attributes. */
const shape = (text: string): readonly string[] =>
  [...text.matchAll(/<!?\/?[a-z][^\s>/]*(?:\s+[a-z-]+(?:="[^"]*")?)*\s*\/?>/g)].map(([tag]) =>
    tag.replaceAll(/="[^"]*"/g, ''),
  );

describe('a template', () => {
  it('keeps what is filled in as text, in elements and in attributes', () => {
    fc.assert(
      fc.property(anything, text => {
        const page = html`<p title="${text}">${text}</p>`.text;
        expect(shape(page)).toEqual(['<p title>', '</p>']);
        expect(page.match(/["<>]/g)).toHaveLength(6);
      }),
    );
  });

  it('shows the text again as it was, but for what no page may hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), text => {
        expect(plain(escapeText(text))).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  it('puts lists together, and leaves out what is not there', () => {
    const list = ['a', '<'].map(one => html`<li>${one}</li>`);
    expect(html`<p>${list}${undefined}${false}${0}</p>`.text).toBe('<p><li>a</li><li>&lt;</li>0</p>');
  });

  it.each(['\u0000', '\u001b', '\u0085', '\ud800'])('has no %j in it', character => {
    expect(html`${character}`.text).toBe('\ufffd');
  });
});

describe('a page', () => {
  const frame = (text: string) => {
    const field = textField({ id: 'x', label: text, value: text, errors: [], input: html`type="text"` });
    const person = { id: text, name: text, birthDate: text, gender: text, identifiers: [text], marks: [text] };
    const visit = {
      language: 'en',
      texts: texts.en,
      path: '/auth/x',
      query: new URLSearchParams({ text }),
      user: { name: text },
      sessionSecret: 'secret',
      cookies: { read: () => 'secret' },
      link: (path: string) => path,
    } as unknown as FramedVisit; // what a document needs
    return pageDocument(signInSite('http://127.0.0.1', [], { name: undefined, logo: undefined }), visit, {
      kind: 'page',
      title: text,
      body: html`${errorSummary('en', [{ field: 'x', text }])}${field}
      ${patientLines({ texts: texts.en, language: 'en' }, person)}`,
    }).text;
  };

  it('has the same elements and attributes whatever names and texts are in it', () => {
    const usual = shape(frame('Tremblay'));
    expect(usual.length).toBeGreaterThan(30);
    fc.assert(
      fc.property(anything, text => {
        expect(shape(frame(text))).toEqual(usual);
      }),
    );
  });
});
